// @ts-check
/** Runs the official conformance suite against the engine, scenario by scenario, and prints what came of each. */
import { prepare } from "./prepare.mjs";

/** Of what the client wrote on the way. */
const MAX_LINE = 400;

process.exitCode = (await prepare()) || (await conform());

async function conform() {
  const { REVISIONS, runScenario, scenariosOf } = await import("../packages/mcp/test/conformance/suite.mjs");
  const { verdict } = await import("../packages/mcp/test/conformance/verdict.mjs");
  const wanted = await Promise.all(
    REVISIONS.map(async (revision) => (await scenariosOf(revision)).map((scenario) => ({ revision, scenario }))),
  );
  const judged = await Promise.all(
    wanted.flat().map(async ({ revision, scenario }) => {
      const run = await runScenario(revision, scenario);
      return { revision, scenario, run, ...verdict(scenario, run) };
    }),
  );
  console.table(
    judged.map(({ revision, scenario, passed, problems }) => ({
      revision,
      scenario,
      "checks passed": passed,
      result: problems.length === 0 ? "passed" : "FAILED",
    })),
  );
  const failed = judged.filter(({ problems }) => problems.length > 0);
  for (const { revision, scenario, problems, run } of failed) {
    console.log(`\n${revision} ${scenario}`, ...problems.map((problem) => `\n  ${problem}`));
    for (const line of run.stderr.trimEnd().split("\n")) console.log("   ", line.slice(0, MAX_LINE));
  }
  console.log(`${judged.length - failed.length} of ${judged.length} scenarios passed`);
  return failed.length > 0 ? 1 : 0;
}
