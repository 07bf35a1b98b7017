import { isFailedCall, matchesCallFilter, serverMs } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const done = { caller: "cli", server: "s", tool: "t", outcome: "complete", durationMs: 10 } as const;
const failed = { ...done, outcome: "failed", code: "SERVER_CRASHED" } as const;

describe("matchesCallFilter", () => {
  it("selects calls by server, caller, text and failure", () => {
    const count = (filter: Parameters<typeof matchesCallFilter>[1]) =>
      [done, failed].filter((call) => matchesCallFilter(call, filter)).length;
    expect(count({})).toBe(2);
    expect(count({ onlyFailed: true })).toBe(1);
    expect(count({ server: "other" })).toBe(0);
    expect(count({ caller: "chat" })).toBe(0);
    expect(count({ text: " S:T" })).toBe(2);
    expect(count({ text: "crashed" })).toBe(1);
  });
});

describe("isFailedCall", () => {
  it("counts neither a denied nor a cancelled call as failed", () => {
    const codes = ["TOOL_DENIED", "CANCELLED", "SERVER_CRASHED"];
    expect(codes.map((code) => isFailedCall({ ...failed, code }))).toEqual([false, false, true]);
    expect([isFailedCall(done), isFailedCall({ ...done, isError: true })]).toEqual([false, true]);
  });
});

describe("serverMs", () => {
  it("is the duration without the start, the queue, questions and retries", () => {
    expect(serverMs({ ...done, startMs: 1, queueMs: 1, questionMs: 2, retryMs: 3 })).toBe(3);
    expect(serverMs({ ...done, questionMs: 10.5 })).toBe(0);
  });

  it("is undefined for a call that is running, was cancelled, or was not sent", () => {
    expect(serverMs({ outcome: "running" })).toBeUndefined();
    expect(serverMs({ ...failed, code: "CANCELLED" })).toBeUndefined();
    expect(serverMs({ ...failed, notSent: true })).toBeUndefined();
    expect(serverMs(failed)).toBe(10);
  });
});
