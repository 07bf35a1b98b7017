/**
 * Finds the candidate that a misspelt word most likely means. The words may come from servers or projects, so limits
 * keep the comparison from taking long.
 */
const MAX_LENGTH = 200;
const MAX_CANDIDATES = 5_000;
const MAX_DISTANCE = 8;

/** Returns undefined if no candidate is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let limit = Math.min(Math.max(2, Math.floor(word.length / 3)), MAX_DISTANCE) + 1;
  let compared = 0;
  for (const candidate of candidates) {
    if (++compared > MAX_CANDIDATES) break;
    if (Math.abs(candidate.length - word.length) >= limit) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), limit);
    if (distance < limit) [best, limit] = [candidate, distance];
  }
  return best;
}

/**
 * Computes the Levenshtein distance, which is exact only below the limit. Skips the cells of the matrix that are
 * further from the diagonal than the limit.
 */
function editDistance(a: string, b: string, limit: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  let next = Array.from(row, () => limit);
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    next[from - 1] = from === 1 ? i : limit;
    for (let j = from; j <= to; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, replaced);
    }
    if (to < b.length) next[to + 1] = limit;
    [row, next] = [next, row];
  }
  return row[b.length]!;
}
