// @ts-check
/** Results as tables, for RESULTS.md and for the terminal. Pure. */
import { rows } from "./judge.mjs";

/**
 * @param {readonly import("./judge.mjs").Result[]} results
 * @returns {string}
 */
export function document(results) {
  return [
    "# Results",
    "",
    "Written by `npm run bench`; [README.md](README.md) says how to read it. Each figure is a ratio to the hand-written",
    "client on the same Node, taken round by round: the median, and its 95 % interval.",
    "",
    ...results.flatMap((result) => [table(result), ""]),
  ].join("\n");
}

/** @param {import("./judge.mjs").Result} result */
export function table(result) {
  const { name, title, unit, target, date, commit, machine, seed, contestants } = result;
  const aim = `target ${target.better === "lower" ? "≤" : "≥"} ${target.limit}`;
  const rounds = Math.max(...contestants.map(({ samples }) => samples.length));
  return [
    `## ${name}`,
    "",
    `${title}; ${aim}. ${date}, commit ${commit}, ${machine}, ${rounds} rounds, seed ${seed}.`,
    "",
    `| contestant | Node | ${unit} | ÷ raw | 95 % | |`,
    "|---|---|---|---|---|---|",
    ...rows(result).map(line),
  ].join("\n");
}

/** @param {import("./judge.mjs").Row} row */
function line({ of, value, ratio, verdict }) {
  const who = of.version === undefined ? of.title : `${of.title} ${of.version}`;
  const cells =
    value === undefined || ratio === undefined
      ? ["–", "–", "–", `failed: ${of.failed}`]
      : of.role === "baseline"
        ? [figure(value), "1", "", ""]
        : [figure(value), ratio.median.toFixed(2), `${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`, verdict ?? ""];
  return `| ${[who, of.node, ...cells].join(" | ")} |`;
}

/** Three digits say enough. @param {number} value */
function figure(value) {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
