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
  let limit = maxMistakes(word) + 1;
  let compared = 0;
  for (const candidate of candidates) {
    if (++compared > MAX_CANDIDATES) break;
    if (Math.abs(candidate.length - word.length) >= limit) continue;
    const [typed, meant] = [word.toLowerCase(), candidate.toLowerCase()];
    const distance = editDistance(typed, meant, limit);
    if (distance > maxMistakes(typed.slice(sharedPrefix(typed, meant)))) continue;
    if (distance < limit && (distance < 2 || candidate.length > 2)) [best, limit] = [candidate, distance];
  }
  return best;
}

/** Returns how many mistakes a word may have. Short words differ in few letters even if they are unrelated. */
function maxMistakes({ length }: string): number {
  if (length <= 3) return length <= 1 ? 0 : 1;
  return Math.min(Math.max(2, Math.floor(length / 3)), MAX_DISTANCE);
}

/**
 * Returns the length of the parts that both begin with, such as `files:`. They don't count, because two tools of one
 * server are not similar for that reason alone.
 */
function sharedPrefix(a: string, b: string): number {
  let length = 0;
  for (const { index, 0: separator } of a.matchAll(SEPARATOR)) {
    const end = index + separator.length;
    if (!b.startsWith(a.slice(length, end), length)) break;
    length = end;
  }
  return length;
}

const SEPARATOR = /[:./]|__/g;

/**
 * Computes the edit distance, in which swapping two neighbors is one edit. The result is exact only below the limit.
 * Skips the cells of the matrix that are further from the diagonal than the limit.
 */
function editDistance(a: string, b: string, limit: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  let previous = Array.from(row, () => limit);
  let beforePrevious = Array.from(row, () => limit);
  for (let i = 1; i <= a.length; i++) {
    [row, previous, beforePrevious] = [beforePrevious, row, previous];
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    row[from - 1] = from === 1 ? i : limit;
    for (let j = from; j <= to; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? beforePrevious[j - 2]! + 1 : limit;
      row[j] = Math.min(previous[j]! + 1, row[j - 1]! + 1, replaced, swapped);
    }
    if (to < b.length) row[to + 1] = limit;
  }
  return row[b.length]!;
}
