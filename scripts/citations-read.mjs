// @ts-check
/** Finds what tests cite: tags such as `[R2.14]` or `[F26]` in their titles, and in those of the groups they stand in. */
import { relative } from "node:path";

/**
 * @typedef {object} Report vitest's JSON report, as far as it is read here
 * @property {{ name: string, assertionResults: Test[] }[]} testResults
 *
 * @typedef {{ ancestorTitles: string[], title: string, status: string }} Test
 *
 * @typedef {object} Citation
 * @property {string} id
 * @property {string} title as far as it takes to find the tag: of a tagged group only the group's
 * @property {string} file from the root, with slashes
 * @property {string} status
 */

/** One id in brackets, or several: `[F26]`, `[R0.34, R1.49]`. */
const TAG = /\[([A-Z]\d+(?:\.\d+)?(?:, ?[A-Z]\d+(?:\.\d+)?)*)\]/g;

/**
 * @param {Report} report
 * @param {string} root
 * @returns {Citation[]}
 */
export function citationsOf(report, root) {
  return report.testResults.flatMap(({ name, assertionResults }) => {
    const file = relative(root, name).replaceAll("\\", "/");
    return assertionResults.flatMap((test) => citationsOfTest(test).map((cited) => ({ ...cited, file })));
  });
}

/** @param {Test} test */
function citationsOfTest({ ancestorTitles, title, status }) {
  const path = [...ancestorTitles, title].filter((part) => part !== "");
  return path.flatMap((part, at) =>
    tagsIn(part).map((id) => ({
      id,
      status,
      title: path
        .slice(0, at + 1)
        .map(withoutTags)
        .join(" › "),
    })),
  );
}

/**
 * @param {readonly Citation[]} citations
 * @returns {Map<string, Citation[]>}
 */
export function byId(citations) {
  /** @type {Map<string, Citation[]>} */
  const found = new Map();
  for (const citation of citations) found.set(citation.id, [...(found.get(citation.id) ?? []), citation]);
  return found;
}

/**
 * @param {string} text
 * @returns {string[]}
 */
export function tagsIn(text) {
  return [...text.matchAll(TAG)].flatMap(([, ids = ""]) => ids.split(/, ?/));
}

/** @param {string} text */
function withoutTags(text) {
  return text.replaceAll(TAG, "").replaceAll(/\s+/g, " ").trim();
}
