import type { HostEvent } from "@plugboard/contracts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallLineLimit } from "#commands/hosting/call-line-limit.js";
import type { MoreCalls } from "#commands/hosting/call-line-limit.js";

type CallEnded = Extract<HostEvent, { readonly type: "call.ended" }>;

const ended = (code?: CallEnded["code"]): CallEnded => ({
  type: "call.ended",
  seq: 1,
  at: 0,
  call: "c",
  caller: { kind: "cli", id: "u" },
  server: "s",
  tool: "t",
  outcome: code === undefined ? "complete" : "failed",
  code,
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

  /** Without an error code, the calls have succeeded. */
  const admitted = (count: number, code?: CallEnded["code"]) =>
    Array.from({ length: count }, () => limit.admit(ended(code))).filter(Boolean).length;

  it("prints a line for 20 calls in each second, and the number of the other calls at its end", () => {
    expect(admitted(30)).toBe(20);
    expect(admitted(5, "CANCELLED")).toBe(0);
    expect(reports).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(reports).toEqual([{ calls: 15, failed: 0 }]);
    expect(admitted(20)).toBe(20);
    vi.advanceTimersByTime(1000);
    expect(reports).toHaveLength(1);
  });

  it("prints a line for 20 failed calls, however many other calls there are", () => {
    admitted(100);
    expect(admitted(25, "SERVER_CRASHED")).toBe(20);
    vi.advanceTimersByTime(1000);
    expect(reports).toEqual([{ calls: 85, failed: 5 }]);
  });

  it("reports the number of the other calls at once when it is flushed", () => {
    admitted(21);
    limit.flush();
    expect(reports).toEqual([{ calls: 1, failed: 0 }]);
    vi.advanceTimersByTime(5000);
    expect(reports).toHaveLength(1);
  });
});
