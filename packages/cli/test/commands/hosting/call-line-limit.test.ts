import type { HostEvent } from "@plugboard/contracts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallLineLimit } from "#commands/hosting/call-line-limit.js";
import type { MoreCalls } from "#commands/hosting/call-line-limit.js";

type CallEnded = Extract<HostEvent, { readonly type: "call.ended" }>;

const ended = (outcome: CallEnded["outcome"]): CallEnded => ({
  type: "call.ended",
  seq: 1,
  at: 0,
  call: "c",
  caller: { kind: "cli", id: "u" },
  server: "s",
  tool: "t",
  outcome,
  durationMs: 1,
});

describe("CallLineLimit", () => {
  let reports: MoreCalls[];
  let limit: CallLineLimit;
  beforeEach(() => {
    vi.useFakeTimers();
    reports = [];
    limit = new CallLineLimit((more) => reports.push(more));
  });
  afterEach(() => void vi.useRealTimers());

  const admitted = (count: number, outcome: CallEnded["outcome"] = "complete") =>
    Array.from({ length: count }, () => limit.admit(ended(outcome))).filter(Boolean).length;

  it("gives 20 calls a line in each second, and reports the number of the others at its end", () => {
    expect(admitted(30)).toBe(20);
    expect(admitted(5, "failed")).toBe(0);
    expect(reports).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(reports).toEqual([{ calls: 15, failed: 5 }]);
    expect(admitted(20)).toBe(20);
    vi.advanceTimersByTime(1000);
    expect(reports).toHaveLength(1);
  });

  it("reports the others at once when it is flushed", () => {
    admitted(21);
    limit.flush();
    expect(reports).toEqual([{ calls: 1, failed: 0 }]);
    vi.advanceTimersByTime(5000);
    expect(reports).toHaveLength(1);
  });
});
