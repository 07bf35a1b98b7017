// @ts-check
/**
 * Writes docs/evidence/requirements.md and docs/evidence/faults.md, which say which test covers each requirement and
 * fault, and through which face. Both documents are made from the lists beside them (*.json) and the ids in the `meta`
 * of the tests. `npm test` fails if the documents, the lists and the tests disagree.
 *
 *   node scripts/docs/citations.mjs [--write] [--report FILE] [--keep] [--allow-pending] [TEST…]
 *
 * --report names a file that vitest's JSON reporter has written. Without it, the script runs the tests: all, or the
 * given files and folders. --keep does not change the rows of tests that are not in the report; TEST implies it. With
 * --keep, but without TEST and --report, no test runs.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { faceOf } from "./citations-faces.mjs";
import { findCitationProblems } from "./citations-problems.mjs";
import { citationsOf, coveredIn } from "./citations-read.mjs";
import { render } from "./citations-render.mjs";
import { readRows, rowsOf } from "./citations-rows.mjs";
import { prepare } from "../build/prepare.mjs";
import { isProgram, root } from "../run.mjs";
import { runTests } from "../test-runner/run-tests.mjs";

const LISTS = ["docs/evidence/requirements", "docs/evidence/faults"];

if (isProgram(import.meta.url)) process.exitCode = await main();

async function main() {
  const { values, positionals: tests } = parseArgs({
    allowPositionals: true,
    options: {
      write: { type: "boolean", default: false },
      report: { type: "string" },
      keep: { type: "boolean", default: false },
      "allow-pending": { type: "boolean", default: false },
    },
  });
  const runs = values.report === undefined && !(values.keep && tests.length === 0);
  if (runs && (await prepare()) !== 0) return 1;
  const report = runs
    ? (await runTests(tests, { filtered: tests.length > 0 })).report
    : values.report === undefined
      ? { testResults: [] }
      : readJson(values.report);
  const keep = values.keep || tests.length > 0;
  const problems = checkCitations(root, report, { write: values.write, keep, allowPending: values["allow-pending"] });
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

/**
 * @param {string} tree the folder that contains docs/ and packages/
 * @param {import("./citations-read.mjs").Report} report of a run of the whole suite, or of a part of it with `keep`
 * @param {{ write?: boolean, keep?: boolean, allowPending?: boolean }} [options]
 * @returns {string[]} the problems
 */
export function checkCitations(tree, report, { write = false, keep = false, allowPending = false } = {}) {
  const lists = LISTS.map((name) => ({
    document: `${name}.md`,
    list: /** @type {import("./citations-problems.mjs").List} */ (readJson(join(tree, `${name}.json`))),
  }));
  const entries = lists.flatMap(({ list }) => list.groups.flatMap((group) => group.entries));
  const kept = keep ? keptRows(tree, report) : [];
  const citations = [...citationsOf(report, tree), ...kept.flatMap(passedCitations)];
  const longTests = citedByLongTests(tree);
  const listedIds = new Set(entries.map(({ id }) => id));
  const problems = [
    ...findCitationProblems(entries, citations, { allowPending, documentHas: (by) => documentHas(tree, by) }),
    ...[...longTests].flatMap(([id, files]) =>
      listedIds.has(id) ? [] : [`${files[0]} cites ${id}, which is not in the lists.`],
    ),
  ];
  const rows = [...rowsOf(citationsOf(report, tree)), ...kept].toSorted(byFile);
  const faces = (/** @type {string} */ file) => faceOf(file, readFileSync(join(tree, file), "utf8"));
  for (const { document, list } of lists) {
    const file = join(tree, document);
    const text = render(list, { rows, longTests, faceOf: faces });
    if (write) writeFileSync(file, text);
    else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
      problems.push(`${document} does not match the tests. Run \`npm run docs:citations\` to write it.`);
    }
  }
  return problems;
}

/**
 * @param {{ file: string }} left
 * @param {{ file: string }} right
 */
function byFile(left, right) {
  return left.file === right.file ? 0 : left.file < right.file ? -1 : 1;
}

/**
 * Returns the rows of the documents whose test files still exist and are not in the report.
 * @param {string} tree
 * @param {import("./citations-read.mjs").Report} report
 */
function keptRows(tree, report) {
  const reported = new Set(report.testResults.map(({ name }) => relative(tree, name).replaceAll("\\", "/")));
  return LISTS.map((name) => join(tree, `${name}.md`))
    .filter((document) => existsSync(document))
    .flatMap((document) => readRows(readFileSync(document, "utf8")))
    .filter(({ file }) => !reported.has(file) && existsSync(join(tree, file)));
}

/**
 * @param {import("./citations-rows.mjs").Row} row of tests that passed when the document was written
 * @returns {import("./citations-read.mjs").Citation[]}
 */
function passedCitations({ id, file, titles }) {
  return titles.map((title) => ({ id, file, title, status: "passed" }));
}

/**
 * Returns the ids that long tests cover. The documents only mention these tests, because this run does not include
 * them.
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
