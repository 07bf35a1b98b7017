// @ts-check
/**
 * All checks: static ones first, then the tests, then what the tests cite. Arguments go to vitest, so that
 * `npm test -- packages/mcp` runs a part; what is cited is checked only if all ran.
 * The last line counts the tests; a skipped test fails the run unless arguments chose what to run.
 */
import { checkCitations } from "./citations.mjs";
import { prepare } from "./prepare.mjs";
import { root, runNode, runTool } from "./run.mjs";
import { runTests } from "./run-tests.mjs";

const STATIC_CHECKS = {
  format: () => runTool("oxfmt", ["--check"]),
  lint: () => runTool("oxlint", []),
  types: () => runTool("tsc", ["-b"]),
  boundaries: () => runNode("scripts/check-boundaries.mjs", []),
  knip: () => runTool("knip", ["--no-progress"]),
  packages: () => runNode("scripts/check-packages.mjs", []),
};

process.exitCode = (await prepare()) === 0 ? check(process.argv.slice(2)) : 1;

/** @param {readonly string[]} args */
function check(args) {
  const failed = Object.entries(STATIC_CHECKS).flatMap(([name, run]) => {
    console.log(`> ${name}`);
    return run() === 0 ? [] : [name];
  });
  console.log("> tests");
  const tests = runTests(args, args.length > 0);
  if (!tests.good) failed.push("tests");
  if (args.length === 0) {
    console.log("> citations");
    const problems = checkCitations(root, tests.report);
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) failed.push("citations");
  }
  if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`);
  console.log(tests.line);
  return failed.length > 0 ? 1 : 0;
}
