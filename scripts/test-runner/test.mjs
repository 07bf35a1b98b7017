// @ts-check
/**
 * Installs missing programs, runs static checks and tests in parallel, then checks the ids that the tests cite.
 * With a package (`npm test -- host`), a path or arguments of vitest, runs only that part of the tests.
 * The last line counts the tests. A skipped test fails the run, unless arguments select the tests.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { checkCitations } from "../docs/citations.mjs";
import { prepare } from "../build/prepare.mjs";
import { root } from "../run.mjs";
import { runTests } from "./run-tests.mjs";
import { runStaticChecks } from "../checks/static-checks.mjs";
import { installMissing, testNeeds } from "./system-packages.mjs";
import { vitestArguments } from "./test-arguments.mjs";

const args = vitestArguments(process.argv.slice(2), new Set(readdirSync(join(root, "packages"))));
process.exitCode =
  installMissing(testNeeds()) || (await prepare()) || (await (args.length > 0 ? testPart() : testAll()));

async function testPart() {
  const { good, line } = await runTests(args, { filtered: true });
  console.log(line);
  return good ? 0 : 1;
}

async function testAll() {
  const [failed, tests] = await Promise.all([runStaticChecks(), runTests([], { filtered: false })]);
  if (!tests.good) failed.push("tests");
  console.log("> citations");
  const problems = checkCitations(root, tests.report);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) failed.push("citations");
  if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`);
  console.log(tests.line);
  return failed.length > 0 ? 1 : 0;
}
