/** Bytes as the pieces they might arrive in: any numbers make a way to cut them. */
export function cutBytes(bytes: Buffer, numbers: readonly number[]): Buffer[] {
  const cuts = numbers.map((number) => number % (bytes.length + 1)).toSorted((a, b) => a - b);
  const ends = [...cuts, bytes.length];
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}
