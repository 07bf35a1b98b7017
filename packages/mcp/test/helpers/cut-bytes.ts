/** Splits bytes into chunks at positions that are derived from any numbers. */
export function cutBytes(bytes: Buffer, numbers: readonly number[]): Buffer[] {
  const cuts = numbers.map((number) => number % (bytes.length + 1)).toSorted((a, b) => a - b);
  const ends = [...cuts, bytes.length];
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}
