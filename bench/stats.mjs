// @ts-check
/** Statistics over many rounds. Pure: takes its random numbers as input, so that a run can be repeated. */

/**
 * @typedef {() => number} Random returns a number from 0 up to, but not including, 1
 * @typedef {"ratio" | "difference" | "value"} Kind what is calculated for each round: the ratio or difference of a
 *   contestant and the baseline, or the plain value
 *
 * @typedef {object} Target
 * @property {number} [limit] undefined if the figure is only reported
 * @property {"lower" | "higher"} better
 * @property {Kind} [of] default: a ratio
 * @property {number} [at] the quantile; default: the median
 *
 * @typedef {{ readonly figure: number, readonly low: number, readonly high: number }} Estimate
 * @typedef {"met" | "missed" | "unclear"} Verdict
 */

const HALF = 0.5;

/**
 * Returns a random number generator (mulberry32). The same seed always gives the same numbers.
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
 * Returns a quantile of the values, with linear interpolation.
 * @param {readonly number[]} values
 * @param {number} [share] default: 0.5
 */
export function quantile(values, share = HALF) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values);
}

/**
 * Compares each round of a contestant with the same round of the baseline.
 * @param {Kind} kind
 * @param {readonly number[]} values
 * @param {readonly number[]} [baseline] not needed for plain values
 */
export function compared(kind, values, baseline = []) {
  if (kind === "value") return [...values];
  if (values.length !== baseline.length) throw new Error("not the same rounds");
  return values.map((value, round) => {
    const base = /** @type {number} */ (baseline[round]);
    return kind === "ratio" ? value / base : value - base;
  });
}

/**
 * Returns the median, or another quantile, and its 95 % interval (bootstrap).
 * @param {readonly number[]} values
 * @param {Random} random
 * @returns {Estimate}
 */
export function estimate(values, random, at = HALF, draws = 2000) {
  const figures = Array.from({ length: draws }, () =>
    quantile(
      values.map(() => /** @type {number} */ (values[Math.floor(random() * values.length)])),
      at,
    ),
  );
  return { figure: quantile(values, at), low: quantile(figures, 0.025), high: quantile(figures, 0.975) };
}

/**
 * Compares the figure with the limit. Returns "unclear" if the interval contains the limit, and undefined without a
 * limit.
 * @param {Estimate} estimate
 * @param {Target} target
 * @returns {Verdict | undefined}
 */
export function verdict({ figure, low, high }, { limit, better }) {
  if (limit === undefined) return undefined;
  if (low < limit && limit < high) return "unclear";
  return (better === "lower" ? figure <= limit : figure >= limit) ? "met" : "missed";
}

/**
 * Returns how much worse a figure has become: 0.1 is ten percent worse, below zero is better. A difference can be close
 * to zero, so its change is given as a share of the limit.
 *
 * Differences and values depend on the load of the machine, so the better end of their interval counts.
 * @param {Estimate} now
 * @param {Estimate} before
 * @param {Target} target
 */
export function worsening(now, before, { of = "ratio", better, limit }) {
  const best = of === "ratio" ? now.figure : better === "lower" ? now.low : now.high;
  if (of === "difference") return (best - before.figure) / (limit ?? Math.abs(before.figure));
  return better === "lower" ? best / before.figure - 1 : before.figure / best - 1;
}
