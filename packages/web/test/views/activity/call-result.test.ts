import type { ShownCall } from "#store/page-state.js";
import { callResult, sentBytes } from "#views/activity/call-result.js";
import { describe, expect, it } from "vitest";

const call: ShownCall = {
  ...{ call: "c", at: 0, caller: "page", server: "s", tool: "t", outcome: "failed" },
  argumentBytes: 19,
};

describe("sentBytes", () => {
  it("is absent for a call that ended before it was sent", () => {
    expect(sentBytes({ ...call, code: "SERVER_SPAWN_FAILED", notSent: true })).toBeUndefined();
    expect(sentBytes({ ...call, code: "REQUEST_TIMEOUT" })).toBe(19);
    expect(sentBytes({ ...call, outcome: "complete" })).toBe(19);
  });
});

describe("callResult", () => {
  it("distinguishes denied and cancelled calls from failed ones", () => {
    const calls: ShownCall[] = [
      { ...call, code: "TOOL_DENIED" },
      { ...call, code: "CANCELLED" },
      { ...call, code: "SERVER_CRASHED" },
      { ...call, outcome: "complete", isError: true },
      { ...call, outcome: "complete", schemaMismatch: true },
      { ...call, outcome: "complete" },
      { ...call, outcome: "running" },
    ];
    const labels = ["denied", "cancelled", "SERVER_CRASHED", "tool error", "schema mismatch", "done", "running"];
    expect(calls.map((one) => callResult(one).label)).toEqual(labels);
  });
});
