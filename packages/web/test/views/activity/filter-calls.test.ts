import { filterCalls } from "#views/activity/filter-calls.js";
import { describe, expect, it } from "vitest";

describe("filterCalls", () => {
  const done = {
    call: "1",
    at: 1,
    caller: "cli",
    server: "s",
    tool: "t",
    outcome: "complete",
    durationMs: 1,
  } as const;
  const failed = { ...done, call: "2", outcome: "failed" } as const;

  it("filters calls by server, caller, text and failure", () => {
    const calls = [done, failed];
    const all = { server: "", caller: "", text: "", onlyFailed: false };
    expect(filterCalls(calls, { ...all, onlyFailed: true })).toHaveLength(1);
    expect(filterCalls(calls, { ...all, server: "other" })).toHaveLength(0);
    expect(filterCalls(calls, { ...all, caller: "chat" })).toHaveLength(0);
    expect(filterCalls(calls, { ...all, text: "S:T" })).toHaveLength(2);
  });
});
