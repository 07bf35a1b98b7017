// @ts-check
/** Renders a list of requirements or faults as a document. The output depends only on the lists and citations. */

import { BELOW, nameFaces } from "./citations-faces.mjs";
import { byId } from "./citations-read.mjs";
import { escape } from "./citations-rows.mjs";

/**
 * @typedef {import("./citations-problems.mjs").List} List
 * @typedef {import("./citations-problems.mjs").Entry} Entry
 * @typedef {import("./citations-rows.mjs").Row} Row
 *
 * @typedef {object} Tests
 * @property {readonly Row[]} rows
 * @property {ReadonlyMap<string, readonly string[]>} longTests files of long tests, by the ids that they cite
 * @property {(file: string) => string} faceOf the face that a test file goes through
 */

/**
 * @param {List} list
 * @param {Tests} tests
 */
export function render({ title, about, groups }, { rows, longTests, faceOf }) {
  const rowsById = byId(rows);
  const shownOf = (/** @type {Entry} */ { id }) => rowsById.get(id) ?? [];
  const facesOf = (/** @type {Entry} */ entry) => nameFaces(shownOf(entry).map(({ file }) => faceOf(file)));
  const sections = groups.map(({ name, about, entries }) => {
    const lines = entries.map((entry) =>
      renderEntry(entry, { faces: facesOf(entry), rows: shownOf(entry), longTests: longTests.get(entry.id) ?? [] }),
    );
    return `## ${name}\n\n${about}\n\n${lines.join("\n")}`;
  });
  const head = `# ${title}\n\n<!-- Written by \`npm run docs:citations\` from the \`meta\` of the tests. Do not edit. -->\n\n${about}`;
  return `${[head, renderCounts(groups, facesOf), ...sections].join("\n\n")}\n`;
}

/**
 * @param {List["groups"]} groups
 * @param {(entry: Entry) => string} facesOf
 */
function renderCounts(groups, facesOf) {
  const all = { name: "all", entries: groups.flatMap(({ entries }) => entries) };
  const states = /** @type {const} */ (["replaced", "planned", "pending"]).filter(
    (state) => state !== "pending" || all.entries.some((entry) => entry[state] !== undefined),
  );
  const rows = [...groups, all].map(({ name, entries }) => {
    const counts = states.map((state) => entries.filter((entry) => entry[state] !== undefined).length);
    const shown = counts.reduce((left, count) => left - count, entries.length);
    const throughFace = entries.filter((entry) => facesOf(entry) !== BELOW).length;
    return `| ${[name, entries.length, shown, throughFace, ...counts].join(" | ")} |`;
  });
  const head = `| | in all | shown | through a face | ${states.join(" | ")} |`;
  return [head, `|---|---|---|---|${"---|".repeat(states.length)}`, ...rows].join("\n");
}

/**
 * @param {Entry} entry
 * @param {{ faces: string, rows: readonly Row[], longTests: readonly string[] }} shown
 */
function renderEntry({ id, text, replaced, planned, pending }, { faces, rows, longTests }) {
  const longTestNote = longTests.length === 0 ? "" : ` In the long run also by ${longTests.map(link).join(", ")}.`;
  const state = replaced
    ? `*Replaced* ([${fileOf(replaced.by)}](${fromEvidence(replaced.by)})): ${replaced.why}`
    : planned
      ? `*Planned*: ${planned}.`
      : pending
        ? `*Not shown yet* (${pending}).`
        : `*Shown* ${faces}, by ${rows.map(renderRow).join("; ")}.${longTestNote}`;
  return `- **${id}** ${text}\n  ${state}`;
}

/** @param {Row} row */
function renderRow({ file, titles, more }) {
  const named = titles.map((title) => `“${escape(title)}”`).join(", ");
  return `${link(file)}: ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

/** @param {string} file */
function link(file) {
  return `[${escape(file.replace(/^packages\//, ""))}](../../${file})`;
}

/** @param {string} by */
function fileOf(by) {
  return escape(by.replace(/^docs\//, "").replace(/#.*$/, ""));
}

/** @param {string} by */
function fromEvidence(by) {
  return by.replace(/^docs\//, "../");
}
