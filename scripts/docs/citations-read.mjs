// @ts-check
/** Reads the requirements and faults that tests cover from their `meta`, such as `{ meta: { covers: ["F26"] } }`. */
import { relative } from "node:path";

/**
 * @typedef {object} Report vitest's JSON report, as far as it is read here
 * @property {{ name: string, assertionResults: Test[] }[]} testResults
 *
 * @typedef {{ ancestorTitles: string[], title: string, status: string, meta?: { covers?: string[] } }} Test
 *
 * @typedef {object} Citation
 * @property {string} id
 * @property {string} title the titles of the groups of the test, then its own
 * @property {string} file from the root, with slashes
 * @property {string} status
 */

const COVERS = /\bcovers:\s*\[([^\]]*)\]/g;
const QUOTED = /"([^"]*)"/g;

/**
 * @param {Report} report
 * @param {string} root
 * @returns {Citation[]}
 */
export function citationsOf(report, root) {
  return report.testResults.flatMap(({ name, assertionResults }) => {
    const file = relative(root, name).replaceAll("\\", "/");
    return assertionResults.flatMap(({ ancestorTitles, title, status, meta }) => {
      const path = [...ancestorTitles, title].filter((part) => part !== "").join(" › ");
      return (meta?.covers ?? []).map((id) => ({ id, title: path, file, status }));
    });
  });
}

/**
 * Reads the ids from the source of a test file, for tests that were not run.
 * @param {string} source
 * @returns {string[]}
 */
export function coveredIn(source) {
  return [...source.matchAll(COVERS)].flatMap(([, ids = ""]) => [...ids.matchAll(QUOTED)].map(([, id = ""]) => id));
}

/**
 * @template {{ id: string }} T
 * @param {readonly T[]} items
 * @returns {Map<string, T[]>}
 */
export function byId(items) {
  /** @type {Map<string, T[]>} */
  const found = new Map();
  for (const item of items) found.set(item.id, [...(found.get(item.id) ?? []), item]);
  return found;
}
