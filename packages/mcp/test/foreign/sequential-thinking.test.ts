/** Tests the reference server for step-by-step thinking. */
import type { JsonObject } from "@plugboard/contracts";
import { sequentialThinkingStdio } from "@plugboard/testkit/third-party-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolCallOp, openThirdParty } from "./open-third-party.ts";
import type { ThirdPartyServer } from "./open-third-party.ts";

describe("server-sequential-thinking", () => {
  let thinking: ThirdPartyServer;
  beforeAll(async () => {
    thinking = await openThirdParty({ transport: "stdio", ...sequentialThinkingStdio(), cwd: process.cwd(), env: {} });
  });
  afterAll(() => thinking.close());

  const think = (thought: JsonObject) => thinking.result(toolCallOp("sequentialthinking", thought));

  it("lists one tool with a long description and both schemas", () => {
    const { tools, dropped } = thinking.connection.catalog;
    expect(dropped).toEqual([]);
    expect(tools).toMatchObject([
      {
        name: "sequentialthinking",
        description: expect.stringContaining("When to use this tool"),
        inputSchema: { required: ["thought", "nextThoughtNeeded", "thoughtNumber", "totalThoughts"] },
        outputSchema: { type: "object" },
      },
    ]);
  });

  it("keeps the thoughts and their branches between calls", { meta: { covers: ["R0.5"] } }, async () => {
    const step = { totalThoughts: 2, nextThoughtNeeded: true };
    expect(await think({ ...step, thought: "First", thoughtNumber: 1 })).toMatchObject({
      structuredContent: { thoughtNumber: 1, branches: [], thoughtHistoryLength: 1 },
    });
    const branch = { branchFromThought: 1, branchId: "doubt" };
    expect(await think({ ...step, ...branch, thought: "Or not?", thoughtNumber: 2 })).toMatchObject({
      structuredContent: { branches: ["doubt"], thoughtHistoryLength: 2 },
    });
    expect(await think({ ...step, thought: "So be it", thoughtNumber: 3, nextThoughtNeeded: false })).toMatchObject({
      structuredContent: { totalThoughts: 3, nextThoughtNeeded: false, thoughtHistoryLength: 3 },
    });
  });

  it("writes the thoughts to stderr, separate from the protocol", async () => {
    await think({ thought: "Loudly", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false });
    await expect.poll(() => thinking.connection.stderrTail, { timeout: 10_000 }).toContain("Loudly");
  });

  it("returns an error result for an incomplete thought", async () => {
    expect(await think({ thought: "Hm" })).toMatchObject({ isError: true });
  });
});
