/** The official conformance suite's scenarios about logging in, each by a whole host. */
import { describe, expect, it } from "vitest";
import { loginScenariosOf, runScenario } from "../../../mcp/test/conformance/suite.mjs";
import { verdict } from "../../../mcp/test/conformance/verdict.mjs";

/** Scenarios wait for each other, so the time is for all of them. */
const TIMEOUT_MS = 180_000;

for (const revision of ["2025-03-26", "2025-11-25", "2026-07-28"]) {
  const scenarios = await loginScenariosOf(revision);
  describe.concurrent(`logs in as ${revision} says`, { meta: { covers: ["R2.153"] }, timeout: TIMEOUT_MS }, () => {
    it.each(scenarios)("%s", (scenario) => expectPass(revision, scenario));
  });
}

const extensions = await loginScenariosOf("extension");

describe.concurrent("logs in as extensions say", { timeout: TIMEOUT_MS }, () => {
  it.each(extensions)("%s", (scenario) => expectPass("extension", scenario));
});

async function expectPass(revision: string, scenario: string): Promise<void> {
  const run = await runScenario(revision, scenario);
  expect(verdict(scenario, run).problems, `${run.said}\n${run.stderr}`).toEqual([]);
}
