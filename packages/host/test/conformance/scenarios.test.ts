/** Runs every client scenario of the official conformance suite with an embedded host. */
import { afterAll, describe, expect, it } from "vitest";
import { runClient } from "./client.mjs";
import { REVISIONS, Suite } from "./suite.mjs";
import { verdict } from "./verdict.mjs";

const TIMEOUT_MS = 60_000;

const suite = new Suite();
afterAll(() => suite.close());

const scenarios = new Map<string, string[]>();
for (const revision of REVISIONS) scenarios.set(revision, await suite.scenariosOf(revision));

const COVERS: { readonly [revision: string]: string[] } = { "2025-11-25": ["R0.48", "R2.1", "R2.118"] };

describe.each(REVISIONS)("official conformance suite, revision %s", (revision) => {
  const names = scenarios.get(revision) ?? [];
  const logins = names.filter((name) => name.startsWith("auth/"));
  const others = names.filter((name) => !logins.includes(name));
  const timeout = TIMEOUT_MS;

  it.each(logins)("passes %s", { meta: { covers: ["R2.153"] }, timeout }, (name) => expectPass(revision, name));
  it.each(others)("passes %s", { meta: { covers: COVERS[revision] ?? [] }, timeout }, (name) =>
    expectPass(revision, name),
  );
});

async function expectPass(revision: string, scenario: string): Promise<void> {
  const run = await suite.runScenario(revision, scenario, runClient);
  expect(verdict(scenario, run).problems, `${run.output}\n${run.log}`).toEqual([]);
}

it("the conformance suite fails a client that does not connect, and says why", async () => {
  const idle = await suite.runScenario("2025-11-25", "tools_call", async () => {});
  expect(verdict("tools_call", idle).problems).toContainEqual(expect.stringContaining("FAILURE"));
  const broken = await suite.runScenario("2025-11-25", "tools_call", () => Promise.reject(new Error("it broke")));
  expect(broken.failure).toContain("it broke");
});
