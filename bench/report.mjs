// @ts-check
/** Renders results as tables, for RESULTS.md and the terminal. Pure. */
import { rows } from "./judge.mjs";

/** @typedef {import("./stats.mjs").Kind} Kind */

/**
 * @param {readonly import("./judge.mjs").Result[]} results
 * @returns {string}
 */
export function document(results) {
  return [
    "# Results",
    "",
    "Written by `npm run bench`. [README.md](README.md) explains the tables. Most figures are ratios to the hand-written",
    "client on the same Node, some are differences to it, and a few are plain values. Each figure is the median over the",
    "rounds, or the quantile that is named, with its 95 % interval.",
    "",
    ...results.flatMap((result) => [table(result), ""]),
  ].join("\n");
}

/** @param {import("./judge.mjs").Result} result */
export function table(result) {
  const { name, title, unit, target, date, commit, machine, seed, contestants } = result;
  const { of: kind = "ratio", better, limit } = target;
  const aim = limit === undefined ? "no target" : `target ${better === "lower" ? "≤" : "≥"} ${limit}`;
  const rounds = Math.max(...contestants.map(({ samples }) => samples.length));
  const baseline = contestants.find(({ role }) => role === "baseline")?.title;
  const beside = kind === "value" ? [] : [`${kind === "ratio" ? "÷" : "−"} ${baseline}`];
  const columns = ["contestant", "Node", unit, ...beside, "95 %"];
  return [
    `## ${name}`,
    "",
    `${title}; ${aim}. ${date}, commit ${commit}, ${machine}, ${rounds} rounds, seed ${seed}.`,
    "",
    `| ${columns.join(" | ")} | |`,
    `|${"---|".repeat(columns.length + 1)}`,
    ...rows(result).map((row) => line(row, kind)),
  ].join("\n");
}

/**
 * @param {import("./judge.mjs").Row} row
 * @param {Kind} kind
 */
function line({ of, value, estimate, verdict }, kind) {
  const who = of.version === undefined ? of.title : `${of.title} ${of.version}`;
  const alone = kind === "value";
  /** @type {string[]} */
  let cells;
  if (value === undefined || estimate === undefined)
    cells = [...(alone ? [] : ["–"]), "–", "–", `failed: ${of.failed}`];
  else if (of.role === "baseline" && !alone) cells = [figure(value), kind === "ratio" ? "1" : "0", "", ""];
  else {
    const write = kind === "ratio" ? twoPlaces : figure;
    const interval = `${write(estimate.low)}–${write(estimate.high)}`;
    cells = [figure(value), ...(alone ? [] : [write(estimate.figure)]), interval, verdict ?? ""];
  }
  return `| ${[who, of.node, ...cells].join(" | ")} |`;
}

/** @param {number} ratio */
function twoPlaces(ratio) {
  return ratio.toFixed(2);
}

/** Rounds to three digits. @param {number} value */
function figure(value) {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
