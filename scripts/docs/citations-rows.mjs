// @ts-check
/**
 * The rows of a document: which test file covers which entry, by which of its tests. Rows are made from the citations
 * of a run. The rows of tests that did not run are read back from the document. Pure.
 */

/** Maximum number of titles per test file. Further titles are only counted. */
const MAX_TITLES = 3;

/** An entry of a document that tests cover: its id, and its test files. */
const ENTRY = /^- \*\*(\S+)\*\* .*\n {2}\*Shown\* (.*)$/gm;
/** A test file of an entry: its path, the titles of tests, and the number of other titles. */
const FILE = /\[(?:\\.|[^\]\\])*\]\((?:\.\.\/)+([^)]+)\): (“.*?”)(?: and (\d+) more)?(?=; \[|\.$|\. In the long run)/g;
const TITLE = /“(.*?)”(?=, “|$)/g;

/**
 * @typedef {import("./citations-read.mjs").Citation} Citation
 *
 * @typedef {object} Row
 * @property {string} id
 * @property {string} file from the root, with slashes
 * @property {string[]} titles the first few
 * @property {number} more how many tests of the file have other titles
 */

/**
 * @param {readonly Citation[]} citations
 * @returns {Row[]}
 */
export function rowsOf(citations) {
  /** @type {Map<string, { id: string, file: string, titles: Set<string> }>} */
  const rows = new Map();
  for (const { id, file, title } of citations) {
    const key = `${id} ${file}`;
    const row = rows.get(key) ?? { id, file, titles: new Set() };
    row.titles.add(title);
    rows.set(key, row);
  }
  return [...rows.values()].map(({ id, file, titles }) => ({
    id,
    file,
    titles: [...titles].slice(0, MAX_TITLES),
    more: Math.max(0, titles.size - MAX_TITLES),
  }));
}

/**
 * Reads the rows that `render` has written.
 * @param {string} document
 * @returns {Row[]}
 */
export function readRows(document) {
  return [...document.matchAll(ENTRY)].flatMap(([, id = "", shown = ""]) =>
    [...shown.matchAll(FILE)].map(([, file = "", titles = "", more = "0"]) => ({
      id,
      file,
      titles: [...titles.matchAll(TITLE)].map(([, title = ""]) => unescape(title)),
      more: Number(more),
    })),
  );
}

/** @param {string} text */
export function escape(text) {
  return text.replaceAll(/[\\`*_<>[\]]/g, String.raw`\$&`);
}

/** @param {string} text */
function unescape(text) {
  return text.replaceAll(/\\([\\`*_<>[\]])/g, "$1");
}
