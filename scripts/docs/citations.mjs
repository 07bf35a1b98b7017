// @ts-check
/**
 * Writes docs/requirements.md and docs/faults.md, which say which test covers each requirement and fault. They are made
 * from the lists beside them (*.json) and the ids in the `meta` of the tests. `npm test` fails if they disagree.
 *
 *   node scripts/docs/citations.mjs [--write] [--report FILE] [--allow-pending]
 *
 * --report is a report of vitest's JSON reporter over the whole suite. Without it, the script runs the tests.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findCitationProblems } from "./citations-problems.mjs";
import { citationsOf, coveredIn } from "./citations-read.mjs";
import { render } from "./citations-render.mjs";
import { prepare } from "../build/prepare.mjs";
import { isProgram, root } from "../run.mjs";
import { runTests } from "../test-runner/run-tests.mjs";

const LISTS = ["docs/requirements", "docs/faults"];

if (isProgram(import.meta.url)) process.exitCode = await main();

async function main() {
  const { values } = parseArgs({
    options: {
      write: { type: "boolean", default: false },
      report: { type: "string" },
      "allow-pending": { type: "boolean", default: false },
    },
  });
  if (values.report === undefined && (await prepare()) !== 0) return 1;
  const report =
    values.report === undefined ? (await runTests([], { filtered: false })).report : readJson(values.report);
  const problems = checkCitations(root, report, { write: values.write, allowPending: values["allow-pending"] });
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

/**
 * @param {string} tree the folder that contains docs/ and packages/
 * @param {import("./citations-read.mjs").Report} report of a run of the whole suite
 * @param {{ write?: boolean, allowPending?: boolean }} [options]
 * @returns {string[]} the problems
 */
export function checkCitations(tree, report, { write = false, allowPending = false } = {}) {
  const lists = LISTS.map((name) => ({
    document: `${name}.md`,
    list: /** @type {import("./citations-problems.mjs").List} */ (readJson(join(tree, `${name}.json`))),
  }));
  const entries = lists.flatMap(({ list }) => list.groups.flatMap((group) => group.entries));
  const citations = citationsOf(report, tree);
  const longTests = citedByLongTests(tree);
  const listedIds = new Set(entries.map(({ id }) => id));
  const problems = [
    ...findCitationProblems(entries, citations, { allowPending, documentHas: (by) => documentHas(tree, by) }),
    ...[...longTests].flatMap(([id, files]) =>
      listedIds.has(id) ? [] : [`${files[0]} cites ${id}, which is not in the lists.`],
    ),
  ];
  for (const { document, list } of lists) {
    const file = join(tree, document);
    const text = render(list, citations, longTests);
    if (write) writeFileSync(file, text);
    else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
      problems.push(`${document} does not match the tests. Run \`npm run docs:citations\` to write it.`);
    }
  }
  return problems;
}

/**
 * Returns the ids that long tests cover. The documents only mention these tests, because this run does not include them.
 * @param {string} tree
 * @returns {Map<string, string[]>} files by the ids that they cite
 */
function citedByLongTests(tree) {
  /** @type {Map<string, string[]>} */
  const cited = new Map();
  const files = readdirSync(join(tree, "packages"))
    .map((name) => `packages/${name}/test`)
    .filter((folder) => existsSync(join(tree, folder)))
    .flatMap((folder) =>
      readdirSync(join(tree, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
    )
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".long.test.ts"))
    .toSorted();
  for (const file of files) {
    for (const id of new Set(coveredIn(readFileSync(join(tree, file), "utf8")))) {
      cited.set(id, [...(cited.get(id) ?? []), file]);
    }
  }
  return cited;
}

/**
 * Returns true if the document exists and has the heading, if one is given.
 * @param {string} tree
 * @param {string} by
 */
function documentHas(tree, by) {
  const [file = "", anchor] = by.split("#");
  if (!file.startsWith("docs/") || !existsSync(join(tree, file))) return false;
  if (anchor === undefined) return true;
  const headings = [...readFileSync(join(tree, file), "utf8").matchAll(/^#+ (.*)$/gm)];
  return headings.some(([, heading = ""]) => slug(heading) === anchor);
}

/**
 * Returns the anchor that GitHub gives a heading.
 * @param {string} heading
 */
function slug(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
