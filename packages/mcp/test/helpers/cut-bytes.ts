/** Splits bytes into chunks. Each number gives one position, modulo the length. */
export function cutBytes(bytes: Buffer, numbers: readonly number[]): Buffer[] {
  const cuts = numbers.map((number) => number % (bytes.length + 1)).toSorted((a, b) => a - b);
  const ends = [...cuts, bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}
