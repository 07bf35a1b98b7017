import type { CallEntry, DecisionEntry } from "@plugboard/contracts";
import { journalCalls } from "#store/journal-calls.js";
import { describe, expect, it } from "vitest";

const call = (id: string, at: number, durationMs: number): CallEntry => ({
  type: "call",
  ...{ call: id, at, durationMs, caller: "front", server: "s", tool: "t", outcome: "complete" },
});
const decision = (id: string, text: string): DecisionEntry => ({
  type: "decision",
  ...{ at: 1800, about: "permission", call: id, server: "s", tool: "t", decision: text },
});

describe("journalCalls", () => {
  it("returns when each call began, with the latest decision on it", () => {
    const entries = [call("2", 3000, 2500), call("1", 2000, 1000), decision("1", "always"), decision("1", "once")];
    expect(journalCalls(entries)).toMatchObject([
      { call: "1", at: 1000, decision: "always" },
      { call: "2", at: 500 },
    ]);
    expect(journalCalls(entries)[1]).not.toHaveProperty("decision");
  });

  it("sorts the calls by their beginning, the latest first", () => {
    const calls = journalCalls([call("long", 9000, 8000), call("short", 5000, 10)]);
    expect(calls.map((one) => one.call)).toEqual(["short", "long"]);
  });
});
