// @ts-check
/**
 * Judges the samples of a benchmark: whether the target is met, whether the run is valid, and whether a figure is worse
 * than before. Pure.
 */
import { compared, estimate, median, quantile, seeded, verdict, worsening } from "./stats.mjs";

/**
 * @typedef {import("./measure.mjs").Measured} Measured
 *
 * @typedef {object} Result the stored result of a benchmark
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
 * @property {number} [value] the median of its samples, or the quantile that the target is about
 * @property {import("./stats.mjs").Estimate} [estimate] the figure that the target is about
 * @property {number} [ratio] to the baseline, if the target is about the plain value and there is a baseline
 * @property {import("./stats.mjs").Verdict} [verdict] for Plugboard, if there is a limit
 */

/** A figure that is worse by a larger share than this is a regression. */
const REGRESSION = 0.1;

/**
 * @param {Result} result
 * @returns {Row[]}
 */
export function rows({ contestants, target, seed }) {
  const { of: kind = "ratio", at } = target;
  return contestants.map((of) => {
    if (of.failed !== undefined) return { of };
    const baseline = contestants.find(({ role, node }) => role === "baseline" && node === of.node);
    const estimated = estimate(compared(kind, of.samples, baseline?.samples), seeded(seed), at);
    const judged = of.role === "ours" ? verdict(estimated, target) : undefined;
    const ratio = kind === "value" && baseline ? median(compared("ratio", of.samples, baseline.samples)) : undefined;
    return {
      of,
      value: quantile(of.samples, at),
      estimate: estimated,
      ...(ratio !== undefined && { ratio }),
      ...(judged && { verdict: judged }),
    };
  });
}

/**
 * Returns why a result is invalid. A result is invalid if a peer is faster than the baseline.
 * @param {Result} result
 * @returns {string[]}
 */
export function objections(result) {
  const { of: kind = "ratio", better } = result.target;
  const { title } = result.contestants.find(({ role }) => role === "baseline") ?? {};
  if (title === undefined || kind === "value") return [];
  // The figure of a contestant that is exactly as fast as the baseline.
  const same = kind === "ratio" ? 1 : 0;
  return rows(result).flatMap(({ of, estimate }) => {
    if (of.role !== "peer" || !estimate) return [];
    const { figure } = estimate;
    const faster = better === "lower" ? figure < same : figure > same;
    return faster ? [`${result.name}: ${of.title} is faster than ${title} (${figure.toFixed(2)})`] : [];
  });
}

/**
 * Returns a line for each figure of Plugboard that is more than 10 % worse than the best earlier one. Compares with the
 * best figure, not the last one, so that many small losses can't pass. Compares differences and plain values only with
 * results of the same machine.
 * @param {Result} now
 * @param {readonly Result[]} earlier
 * @returns {string[]}
 */
export function regressions(now, earlier) {
  const { of: kind = "ratio" } = now.target;
  const comparable = earlier.filter(
    ({ title, machine }) => title === now.title && (kind === "ratio" || machine === now.machine),
  );
  const old = comparable.flatMap((result) => rows(result).map((row) => ({ row, commit: result.commit })));
  return rows(now).flatMap(({ of, estimate }) => {
    if (of.role !== "ours" || !estimate) return [];
    const losses = old.flatMap(({ row, commit }) => {
      const isSame = row.of.contestant === of.contestant && major(row.of.node) === major(of.node);
      if (!isSame || !row.estimate) return [];
      return [{ worse: worsening(estimate, row.estimate, now.target), was: row.estimate.figure, commit }];
    });
    const [largest] = losses.toSorted((a, b) => b.worse - a.worse);
    if (largest === undefined || largest.worse <= REGRESSION) return [];
    const figures = `${largest.was.toFixed(2)} at ${largest.commit} → ${estimate.figure.toFixed(2)}`;
    return [`${now.name}: ${of.title} on Node ${of.node} is ${Math.round(largest.worse * 100)} % worse (${figures})`];
  });
}

/** @param {string} version */
function major(version) {
  return version.split(".", 1)[0];
}
