import { systemClock } from "#async/clock.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const DAY_MS = 24 * 60 * 60 * 1000;

describe("systemClock with a delay over the limit of a Node timer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("runs the callback after the whole delay of 60 days, not immediately", () => {
    const run = vi.fn();
    systemClock.after(60 * DAY_MS, run);
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledOnce();
  });

  it.each([0, 40])("does not run a callback that is cancelled after %s of 60 days", (days) => {
    const run = vi.fn();
    const cancel = systemClock.after(60 * DAY_MS, run);
    vi.advanceTimersByTime(days * DAY_MS);
    cancel();
    vi.advanceTimersByTime(100 * DAY_MS);
    expect(run).not.toHaveBeenCalled();
  });
});
