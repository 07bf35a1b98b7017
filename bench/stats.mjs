// @ts-check
/** What many rounds say together. Pure: chance is passed in, so that a run can be reckoned again. */

/**
 * @typedef {() => number} Random from 0 up to 1
 * @typedef {{ readonly limit: number, readonly better: "lower" | "higher" }} Target
 * @typedef {{ readonly median: number, readonly low: number, readonly high: number }} Estimate
 * @typedef {"met" | "missed" | "unclear"} Verdict
 */

/**
 * A small generator (mulberry32): the same seed gives the same row of numbers everywhere.
 * @param {number} seed
 * @returns {Random}
 */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {Random} random
 * @returns {T[]}
 */
export function shuffled(items, random) {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [/** @type {T} */ (result[other]), /** @type {T} */ (result[last])];
  }
  return result;
}

/**
 * The value below which that share of the values lies; between two values, in proportion.
 * @param {readonly number[]} values
 * @param {number} share
 */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * How each round of one compares with the same round of the other: only what was measured side by side is compared.
 * @param {readonly number[]} values
 * @param {readonly number[]} baseline
 */
export function ratios(values, baseline) {
  if (values.length !== baseline.length) throw new Error("not the same rounds");
  return values.map((value, round) => value / /** @type {number} */ (baseline[round]));
}

/**
 * The median and its 95 % interval, by drawing as many rounds again from the rounds there are.
 * @param {readonly number[]} values
 * @param {Random} random
 * @returns {Estimate}
 */
export function estimate(values, random, draws = 2000) {
  const medians = Array.from({ length: draws }, () =>
    median(values.map(() => /** @type {number} */ (values[Math.floor(random() * values.length)]))),
  );
  return { median: median(values), low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
}

/**
 * The median decides, unless the interval has the limit inside it.
 * @param {Estimate} estimate
 * @param {Target} target
 * @returns {Verdict}
 */
export function verdict({ median, low, high }, { limit, better }) {
  if (low < limit && limit < high) return "unclear";
  return (better === "lower" ? median <= limit : median >= limit) ? "met" : "missed";
}

/**
 * How much worse a figure has become: 0.1 is ten percent, below zero is better.
 * @param {number} now
 * @param {number} before
 * @param {Target["better"]} better
 */
export function worsening(now, before, better) {
  return better === "lower" ? now / before - 1 : before / now - 1;
}
