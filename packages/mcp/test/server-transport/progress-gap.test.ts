import { ProgressGap } from "#server-transport/progress-gap.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

describe("ProgressGap", () => {
  it("delays only the first response with the id of a progress, until 5 ms after the progress", () => {
    const clock = new ManualClock();
    const gap = new ProgressGap(clock);
    gap.recordProgress("a");
    clock.advance(2);
    expect(gap.takeDelay("b")).toBe(0);
    expect(gap.takeDelay("a")).toBe(3);
    expect(gap.takeDelay("a")).toBe(0);
  });

  it("keeps only the tokens of the last 5 ms, even if many requests never end", () => {
    const clock = new ManualClock();
    const gap = new ProgressGap(clock);
    for (let token = 0; token < 64; token++) gap.recordProgress(token);
    clock.advance(3);
    gap.recordProgress("recent");
    clock.advance(3);
    gap.recordProgress("new");
    // The old tokens are dropped. Otherwise each later progress would look at all of them.
    expect(gap.size).toBe(2);
    expect([gap.takeDelay("recent"), gap.takeDelay("new")]).toEqual([2, 5]);
  });
});
