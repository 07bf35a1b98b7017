import { distinctNotices } from "#views/activity/distinct-notices.js";
import { describe, expect, it } from "vitest";

describe("distinctNotices", () => {
  const added = (seq: number, id: string) => ({
    ...{ seq, at: seq },
    event: { type: "config.changed", seq, at: seq, added: [id], removed: [], changed: [] } as const,
  });

  it("has each text once, with problems first and then the newest", () => {
    const failed = {
      ...{ seq: 1, at: 1 },
      event: { type: "telemetry.failed", seq: 1, at: 1, reason: "It failed." } as const,
    };
    expect(distinctNotices([added(4, "a"), added(3, "b"), added(2, "a"), failed])).toMatchObject([
      { seq: 1, tone: "warn" },
      { seq: 4, tone: "info" },
      { seq: 3, tone: "info" },
    ]);
  });
});
