// @ts-check
/** Renders a list of requirements or faults as a document. The output depends only on the lists and citations. */

import { byId } from "./citations-read.mjs";

/** Maximum number of titles per test file. Only the number of the others is given. */
const MAX_TITLES = 3;

/**
 * @typedef {import("./citations-problems.mjs").List} List
 * @typedef {import("./citations-problems.mjs").Entry} Entry
 * @typedef {import("./citations-read.mjs").Citation} Citation
 */

/**
 * @param {List} list
 * @param {readonly Citation[]} citations
 * @param {ReadonlyMap<string, readonly string[]>} longTests files of long tests, by the ids that they cite
 */
export function render({ title, about, groups }, citations, longTests) {
  const cited = byId(citations);
  const sections = groups.map(({ name, about, entries }) => {
    const lines = entries.map((entry) => renderEntry(entry, cited.get(entry.id) ?? [], longTests.get(entry.id) ?? []));
    return `## ${name}\n\n${about}\n\n${lines.join("\n")}`;
  });
  const head = `# ${title}\n\n<!-- Written by \`npm run docs:citations\` from the \`meta\` of the tests. Do not edit. -->\n\n${about}`;
  return `${[head, renderCounts(groups), ...sections].join("\n\n")}\n`;
}

/** @param {List["groups"]} groups */
function renderCounts(groups) {
  const all = { name: "all", entries: groups.flatMap(({ entries }) => entries) };
  const states = /** @type {const} */ (["replaced", "planned", "pending"]).filter(
    (state) => state !== "pending" || all.entries.some((entry) => entry[state] !== undefined),
  );
  const rows = [...groups, all].map(({ name, entries }) => {
    const counts = states.map((state) => entries.filter((entry) => entry[state] !== undefined).length);
    const shown = counts.reduce((left, count) => left - count, entries.length);
    return `| ${[name, entries.length, shown, ...counts].join(" | ")} |`;
  });
  return [`| | in all | shown | ${states.join(" | ")} |`, `|---|---|---|${"---|".repeat(states.length)}`, ...rows].join(
    "\n",
  );
}

/**
 * @param {Entry} entry
 * @param {readonly Citation[]} citations
 * @param {readonly string[]} longTests
 */
function renderEntry({ id, text, replaced, planned, pending }, citations, longTests) {
  const longTestNote = longTests.length === 0 ? "" : ` In the long run also by ${longTests.map(link).join(", ")}.`;
  const state = replaced
    ? `*Replaced* ([${fileOf(replaced.by)}](${fromDocs(replaced.by)})): ${replaced.why}`
    : planned
      ? `*Planned*: ${planned}.`
      : pending
        ? `*Not shown yet* (${pending}).`
        : `*Shown* by ${renderCitations(citations)}.${longTestNote}`;
  return `- **${id}** ${text}\n  ${state}`;
}

/** @param {readonly Citation[]} citations */
function renderCitations(citations) {
  const files = [...new Set(citations.map(({ file }) => file))].toSorted();
  return files
    .map((file) => {
      const titles = [...new Set(citations.filter((citation) => citation.file === file).map(({ title }) => title))];
      const named = titles.slice(0, MAX_TITLES).map((title) => `“${escape(title)}”`);
      const more = titles.length - named.length;
      return `${link(file)}: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    })
    .join("; ");
}

/** @param {string} file */
function link(file) {
  return `[${escape(file.replace(/^packages\//, ""))}](../${file})`;
}

/** @param {string} by */
function fileOf(by) {
  return escape(by.replace(/^docs\//, "").replace(/#.*$/, ""));
}

/** @param {string} by */
function fromDocs(by) {
  return by.replace(/^docs\//, "");
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll(/[\\`*_<>[\]]/g, String.raw`\$&`);
}
