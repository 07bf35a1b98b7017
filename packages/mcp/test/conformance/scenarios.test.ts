/** The official conformance suite against a thin client on this engine, every scenario that it knows for a revision. */
import { describe, expect, it } from "vitest";
import { REVISIONS, runScenario, scenariosOf } from "./suite.mjs";
import { verdict } from "./verdict.mjs";

/** Scenarios wait for each other, so the time is for all of them. */
const TIMEOUT_MS = 180_000;

for (const revision of REVISIONS) {
  const scenarios = await scenariosOf(revision);
  describe.concurrent(`conforms to ${revision}`, { timeout: TIMEOUT_MS }, () => {
    it.each(scenarios)("%s", async (scenario) => {
      const run = await runScenario(revision, scenario);
      expect(verdict(scenario, run).problems, `${run.said}\n${run.stderr}`).toEqual([]);
    });
  });
}
