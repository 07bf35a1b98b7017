import { callResult } from "#views/activity/call-result.js";
import { byServer, statisticsOf, toBuckets } from "#views/activity/call-statistics.js";
import { describe, expect, it } from "vitest";

describe("call statistics", () => {
  const call = (at: number, durationMs: number, failed = false) => ({
    call: String(at),
    at,
    caller: "cli" as const,
    server: "s",
    tool: "t",
    outcome: failed ? ("failed" as const) : ("complete" as const),
    durationMs,
  });

  it("counts the calls of each server, the one with the most calls first", () => {
    const calls = [call(10, 1), { ...call(20, 3), server: "other" }, call(80, 5, true)];
    expect(byServer(calls, 100, 100, 2)).toMatchObject([
      { server: "s", total: 2, failed: 1, p50: 5, counts: [1, 1] },
      { server: "other", total: 1, failed: 0, p99: 3, counts: [1, 0] },
    ]);
  });

  it("counts no time that a person took to decide, and no denied or cancelled call as failed", () => {
    const denied = { ...call(10, 9000, true), code: "TOOL_DENIED", decision: "no" };
    const cancelled = { ...call(20, 7, true), code: "CANCELLED" };
    const allowed = { ...call(30, 8000), decision: "once", questionMs: 7993 };
    const crashed = { ...call(40, 7, true), code: "SERVER_CRASHED" };
    expect(statisticsOf([denied, cancelled, allowed, crashed])).toEqual({
      total: 4,
      failed: 1,
      ...{ p50: 7, p95: 7, p99: 7 },
    });
    expect([denied, cancelled, allowed, crashed].map((one) => callResult(one).label)).toEqual([
      "denied",
      "cancelled",
      "done",
      "SERVER_CRASHED",
    ]);
  });

  it("groups calls into equal parts of the time span", () => {
    const [first, second] = toBuckets([call(10, 1), call(20, 3), call(80, 5, true)], 100, 100, 2);
    expect(first).toMatchObject({ total: 2, failed: 0, p50: 3 });
    expect(second).toMatchObject({ total: 1, failed: 1, p99: 5 });
  });
});
