/** The official conformance suite against a thin client on this engine, every scenario that it knows for a revision. */
import { describe, expect, it } from "vitest";
import { REVISIONS, runScenario, scenariosOf } from "./suite.mjs";
import { verdict } from "./verdict.mjs";

/** Scenarios wait for each other, so the time is for all of them. */
const TIMEOUT_MS = 180_000;

/** What the scenarios of the revision show that the host was asked for. */
const COVERS: { readonly [revision: string]: string[] } = { "2025-11-25": ["R0.48", "R2.1", "R2.118"] };

for (const revision of REVISIONS) {
  const scenarios = await scenariosOf(revision);
  const options = { timeout: TIMEOUT_MS, meta: { covers: COVERS[revision] ?? [] } };
  describe.concurrent(`the engine conforms to ${revision}`, options, () => {
    it.each(scenarios)("%s", async (scenario) => {
      const run = await runScenario(revision, scenario);
      expect(verdict(scenario, run).problems, `${run.said}\n${run.stderr}`).toEqual([]);
    });
  });
}
