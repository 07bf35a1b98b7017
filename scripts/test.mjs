// @ts-check
/**
 * Installs what is missing, then runs all checks: static ones and tests beside each other, then what the tests cite.
 * `npm test -- host`, a path, or any arguments of vitest run that part of the tests and nothing else.
 * The last line counts the tests; a skipped test fails the run unless arguments chose what to run.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { checkCitations } from "./citations.mjs";
import { prepare } from "./prepare.mjs";
import { root } from "./run.mjs";
import { runTests } from "./run-tests.mjs";
import { runStaticChecks } from "./static-checks.mjs";
import { installMissing, testNeeds } from "./system-packages.mjs";
import { vitestArguments } from "./test-arguments.mjs";

const args = vitestArguments(process.argv.slice(2), new Set(readdirSync(join(root, "packages"))));
process.exitCode =
  installMissing(testNeeds()) || (await prepare()) || (await (args.length > 0 ? testPart() : testAll()));

async function testPart() {
  // The part may not need what is missing here; if it does, its tests fail and say so.
  installMissing(testNeeds());
  if ((await prepare()) !== 0) return 1;
  const { good, line } = await runTests(args, true);
  console.log(line);
  return good ? 0 : 1;
}

async function testAll() {
  if (installMissing(testNeeds()) !== 0 || (await prepare()) !== 0) return 1;
  const [failed, tests] = await Promise.all([runStaticChecks(), runTests([], false)]);
  if (!tests.good) failed.push("tests");
  console.log("> citations");
  const problems = checkCitations(root, tests.report);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) failed.push("citations");
  if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`);
  console.log(tests.line);
  return failed.length > 0 ? 1 : 0;
}
