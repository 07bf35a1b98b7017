/** Runs the workload of the page with a few servers. */
import { expect, it } from "vitest";
import { begin } from "../workloads/page.mjs";

it.each([
  ["plugboard-page", "interactive"],
  ["plugboard-page", "search"],
  ["plain-page", "search"],
] as const)("the workload of the page runs with %s and measures %s", async (contestant, measures) => {
  const entry = { contestant, serverNode: process.execPath } as Parameters<typeof begin>[0];
  const { round, end } = await begin(entry, { servers: 12, tools: 20, measures });
  try {
    expect(await round()).toBeGreaterThan(0);
    expect(await round()).toBeLessThan(30_000);
  } finally {
    await end();
  }
});
