// @ts-check
/** What the samples of one benchmark mean: ratios to the baseline on the same Node, and whether the target is met. Pure. */
import { estimate, median, ratios, seeded, verdict, worsening } from "./stats.mjs";

/**
 * @typedef {import("./measure.mjs").Measured} Measured
 *
 * @typedef {object} Result what is kept of a benchmark
 * @property {string} name
 * @property {string} title
 * @property {string} unit
 * @property {import("./stats.mjs").Target} target
 * @property {string} date
 * @property {string} commit
 * @property {string} machine
 * @property {number} seed
 * @property {Measured[]} contestants
 *
 * @typedef {object} Row
 * @property {Measured} of
 * @property {number} [value] the median of its samples
 * @property {import("./stats.mjs").Estimate} [ratio]
 * @property {import("./stats.mjs").Verdict} [verdict] for ours
 */

const REGRESSION = 0.1;

/**
 * @param {Result} result
 * @returns {Row[]}
 */
export function rows({ contestants, target, seed }) {
  return contestants.map((of) => {
    if (of.failed !== undefined) return { of };
    const baseline = contestants.find(({ role, node }) => role === "baseline" && node === of.node);
    const ratio = estimate(ratios(of.samples, baseline?.samples ?? []), seeded(seed));
    const value = median(of.samples);
    return { of, value, ratio, ...(of.role === "ours" && { verdict: verdict(ratio, target) }) };
  });
}

/**
 * Why a result does not count: the baseline is to be the fastest, or it is none.
 * @param {Result} result
 * @returns {string[]}
 */
export function objections(result) {
  const { better } = result.target;
  return rows(result).flatMap(({ of, ratio }) => {
    if (of.role !== "peer" || !ratio) return [];
    const faster = better === "lower" ? ratio.median < 1 : ratio.median > 1;
    return faster ? [`${result.name}: ${of.title} is faster than raw (${ratio.median.toFixed(2)})`] : [];
  });
}

/**
 * Where ours has become worse than it was.
 * @param {Result} now
 * @param {Result | undefined} before
 * @returns {string[]}
 */
export function regressions(now, before) {
  if (!before) return [];
  const old = rows(before);
  return rows(now).flatMap(({ of, ratio }) => {
    const was = old.find((row) => row.of.contestant === of.contestant && major(row.of.node) === major(of.node));
    if (of.role !== "ours" || !ratio || !was?.ratio) return [];
    const worse = worsening(ratio.median, was.ratio.median, now.target.better);
    if (worse <= REGRESSION) return [];
    const figures = `${was.ratio.median.toFixed(2)} → ${ratio.median.toFixed(2)}`;
    return [`${now.name}: ${of.title} on Node ${of.node} is ${Math.round(worse * 100)} % worse (${figures})`];
  });
}

/** @param {string} version */
function major(version) {
  return version.split(".", 1)[0];
}
