import type { CallEntry, DecisionEntry } from "@plugboard/contracts";
import { journalCalls } from "#store/journal-calls.js";
import { describe, expect, it } from "vitest";

const call = (id: string, at: number, durationMs: number): CallEntry => ({
  type: "call",
  ...{ call: id, at, durationMs, caller: "front", server: "s", tool: "t", outcome: "complete" },
});
const decision = (at: number): DecisionEntry => ({
  type: "decision",
  ...{ at, about: "permission", server: "s", tool: "t", decision: "once" },
});

describe("journalCalls", () => {
  it("returns when each call began, with the decision that was made during it", () => {
    const entries = [decision(5000), call("2", 3000, 500), decision(1800), call("1", 2000, 1000), decision(100)];
    expect(journalCalls(entries)).toMatchObject([
      { call: "2", at: 2500 },
      { call: "1", at: 1000, decision: "once" },
    ]);
    expect(journalCalls(entries)[0]).not.toHaveProperty("decision");
  });

  it("returns the call that began last first", () => {
    const calls = journalCalls([call("long", 9000, 8000), call("short", 5000, 10)]);
    expect(calls.map((one) => one.call)).toEqual(["short", "long"]);
  });

  it("leaves out a decision that may belong to another call", () => {
    const entries = [call("2", 2100, 900), call("1", 2000, 1000), decision(1800)];
    expect(journalCalls(entries).map((one) => one.decision)).toEqual([undefined, undefined]);
  });
});
