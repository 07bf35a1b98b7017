// @ts-check
/** What many rounds say together. Pure: chance is passed in, so that a run can be reckoned again. */

/**
 * @typedef {() => number} Random from 0 up to 1
 * @typedef {"ratio" | "difference" | "value"} Kind what is looked at in each round: ours ÷ the baseline, ours − the
 *   baseline, or ours alone
 *
 * @typedef {object} Target
 * @property {number} [limit] nothing where a figure is only reported
 * @property {"lower" | "higher"} better
 * @property {Kind} [of] a ratio unless given
 * @property {number} [at] the share of the rounds that is to be below the figure; half of them unless given
 *
 * @typedef {{ readonly figure: number, readonly low: number, readonly high: number }} Estimate
 * @typedef {"met" | "missed" | "unclear"} Verdict
 */

const HALF = 0.5;

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
 * @param {number} [share] half, unless given
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
 * How each round of one compares with the same round of the other: only what was measured side by side is compared.
 * @param {Kind} kind
 * @param {readonly number[]} values
 * @param {readonly number[]} [baseline] not for what is looked at alone
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
 * The median, or another quantile, and its 95 % interval, by drawing as many rounds again from the rounds there are.
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
 * The figure decides, unless the interval has the limit inside it. Nothing where there is no limit.
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
 * How much worse a figure has become: 0.1 is ten percent, below zero is better. A difference can be next to nothing,
 * or less, so how much it has grown is told as a share of what it may be.
 *
 * What is no ratio says something of the machine too, and of what else it does: there it is the end of the interval
 * that speaks for ours which counts.
 * @param {Estimate} now
 * @param {Estimate} before
 * @param {Target} target
 */
export function worsening(now, before, { of = "ratio", better, limit }) {
  const best = of === "ratio" ? now.figure : better === "lower" ? now.low : now.high;
  if (of === "difference") return (best - before.figure) / (limit ?? Math.abs(before.figure));
  return better === "lower" ? best / before.figure - 1 : before.figure / best - 1;
}
