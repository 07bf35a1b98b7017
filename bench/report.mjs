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
  const beside = baseline === undefined ? [] : [`${kind === "difference" ? "−" : "÷"} ${baseline}`];
  const columns =
    kind === "value"
      ? ["contestant", "Node", unit, "95 %", ...beside]
      : ["contestant", "Node", unit, ...beside, "95 %"];
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
function line(row, kind) {
  const { of } = row;
  const who = of.version === undefined ? of.title : `${of.title} ${of.version}`;
  return `| ${[who, of.node, ...(kind === "value" ? valueCells(row) : comparedCells(row, kind))].join(" | ")} |`;
}

/**
 * @param {import("./judge.mjs").Row} row
 * @returns {string[]}
 */
function valueCells({ of, value, estimate, ratio, verdict }) {
  if (value === undefined || estimate === undefined) return ["–", "–", `failed: ${of.failed}`];
  const beside = ratio === undefined ? [] : [of.role === "baseline" ? "1" : twoPlaces(ratio)];
  return [figure(value), `${figure(estimate.low)}–${figure(estimate.high)}`, ...beside, verdict ?? ""];
}

/**
 * @param {import("./judge.mjs").Row} row
 * @param {Kind} kind
 * @returns {string[]}
 */
function comparedCells({ of, value, estimate, verdict }, kind) {
  if (value === undefined || estimate === undefined) return ["–", "–", "–", `failed: ${of.failed}`];
  if (of.role === "baseline") return [figure(value), kind === "ratio" ? "1" : "0", "", ""];
  const write = kind === "ratio" ? twoPlaces : figure;
  return [figure(value), write(estimate.figure), `${write(estimate.low)}–${write(estimate.high)}`, verdict ?? ""];
}

/** @param {number} ratio */
function twoPlaces(ratio) {
  return ratio.toFixed(2);
}

/** Rounds to three digits. @param {number} value */
function figure(value) {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
