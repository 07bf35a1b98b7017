import { ProgressGap } from "#server-transport/progress-gap.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

describe("ProgressGap", () => {
  it("delays only the first response after progress with its id, until 5 ms after that progress", () => {
    const clock = new ManualClock();
    const gap = new ProgressGap(clock);
    gap.recordProgress("a");
    clock.advance(2);
    expect(gap.takeDelay("b")).toBe(0);
    expect(gap.takeDelay("a")).toBe(3);
    expect(gap.takeDelay("a")).toBe(0);
  });

  it("keeps the tokens of the last 5 ms when requests that never end leave many behind", () => {
    const clock = new ManualClock();
    const gap = new ProgressGap(clock);
    for (let token = 0; token < 64; token++) gap.recordProgress(token);
    clock.advance(3);
    gap.recordProgress("recent");
    clock.advance(3);
    gap.recordProgress("new");
    // The others are dropped. Later progress would otherwise look at all of them again and again.
    expect(gap.size).toBe(2);
    expect([gap.takeDelay("recent"), gap.takeDelay("new")]).toEqual([2, 5]);
  });
});
