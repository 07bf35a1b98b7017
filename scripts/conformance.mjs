// @ts-check
/** Runs the official conformance suite against a host and prints the result of each scenario. */
import { prepare } from "./prepare.mjs";

/** Maximum length of each printed line of the client's log. */
const MAX_LINE = 400;

process.exitCode = (await prepare()) || (await conform());

async function conform() {
  const { runClient } = await import("../packages/host/test/conformance/client.mjs");
  const { REVISIONS, Suite } = await import("../packages/host/test/conformance/suite.mjs");
  const { verdict } = await import("../packages/host/test/conformance/verdict.mjs");
  const suite = new Suite();
  const judged = [];
  for (const revision of REVISIONS) {
    for (const scenario of await suite.scenariosOf(revision)) {
      const run = await suite.runScenario(revision, scenario, runClient);
      judged.push({ revision, scenario, run, ...verdict(scenario, run) });
    }
  }
  await suite.close();
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
    for (const line of run.log.trimEnd().split("\n")) console.log("   ", line.slice(0, MAX_LINE));
  }
  console.log(`${judged.length - failed.length} of ${judged.length} scenarios passed`);
  return failed.length > 0 ? 1 : 0;
}
