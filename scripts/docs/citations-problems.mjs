// @ts-check
/** Compares requirements and faults with the tests that cover them, and returns the problems as sentences. Pure. */
import { byId } from "./citations-read.mjs";

/**
 * @typedef {object} Entry
 * @property {string} id
 * @property {string} text
 * @property {{ by: string, why: string }} [replaced] the decision that replaced the requirement, and the reason
 * @property {string} [planned] the part of the project that will implement it
 * @property {string} [pending] the part whose tests are being written; allowed only with --allow-pending
 *
 * @typedef {{ name: string, about: string, entries: Entry[] }} Group
 * @typedef {{ title: string, about: string, groups: Group[] }} List
 * @typedef {import("./citations-read.mjs").Citation} Citation
 */

const STATES = /** @type {const} */ (["replaced", "planned", "pending"]);

/**
 * @param {readonly Entry[]} entries of all lists. A test must cite only these
 * @param {readonly Citation[]} citations
 * @param {{ allowPending: boolean, documentHas: (by: string) => boolean }} options
 * @returns {string[]}
 */
export function findCitationProblems(entries, citations, { allowPending, documentHas }) {
  const listedIds = new Set(entries.map(({ id }) => id));
  const cited = byId(citations);
  return [
    ...duplicates(entries.map(({ id }) => id)).map((id) => `${id} occurs twice.`),
    ...unique(citations.flatMap((citation) => citationProblems(citation, listedIds))),
    ...entries.flatMap((entry) => [
      ...entryProblems(entry, cited.get(entry.id) ?? []),
      ...(entry.pending !== undefined && !allowPending ? [`${entry.id} is still pending (${entry.pending}).`] : []),
      ...(entry.replaced !== undefined && !documentHas(entry.replaced.by)
        ? [`${entry.id} is replaced by ${entry.replaced.by}, which does not exist.`]
        : []),
    ]),
  ];
}

/**
 * @param {Citation} citation
 * @param {ReadonlySet<string>} listedIds
 */
function citationProblems({ id, file, title, status }, listedIds) {
  const citationText = `${file}: "${title}" cites ${id}`;
  if (!listedIds.has(id)) return [`${citationText}, which is not in the lists.`];
  return status === "passed"
    ? []
    : [`${citationText}, but the test ${status === "failed" ? "failed" : `was ${status}`}.`];
}

/**
 * @param {Entry} entry
 * @param {readonly Citation[]} citations
 */
function entryProblems(entry, citations) {
  const states = STATES.filter((state) => entry[state] !== undefined);
  if (states.length > 1) return [`${entry.id} is ${states.join(" and ")} at once.`];
  const [state] = states;
  const [citation] = citations;
  if (state === undefined) {
    return citations.some(({ status }) => status === "passed")
      ? []
      : [`${entry.id} is covered by no test: ${entry.text}`];
  }
  if (citation === undefined) return [];
  return [`${entry.id} is marked as ${state}, but ${citation.file} covers it: remove the mark or the citation.`];
}

/** @param {readonly string[]} ids */
function duplicates(ids) {
  return unique(ids.filter((id, index) => ids.indexOf(id) !== index));
}

/** @param {readonly string[]} texts */
function unique(texts) {
  return [...new Set(texts)];
}
