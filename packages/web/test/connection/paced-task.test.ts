import { PacedTask, REST_FACTOR } from "#connection/paced-task.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Records when the task runs. `durations` says how long each run takes; the last duration is for all further runs. */
function paced(...durations: readonly number[]) {
  const starts: number[] = [];
  const task = new PacedTask({
    delayMs: 100,
    run: () => {
      const took = durations[Math.min(starts.length, durations.length - 1)] ?? 0;
      starts.push(performance.now() - began);
      return new Promise((resolve) => setTimeout(resolve, took));
    },
  });
  const began = performance.now();
  return { task, starts };
}

describe("PacedTask", () => {
  it("runs once for all requests before the run, and not without a request", async () => {
    const { task, starts } = paced(10);
    for (let n = 0; n < 500; n++) task.request();
    await vi.advanceTimersByTimeAsync(1000);
    expect(starts).toEqual([100]);
  });

  it("runs again after a request during a run, but only when that run and the rest after it have ended", async () => {
    const { task, starts } = paced(400, 1);
    task.request();
    await vi.advanceTimersByTimeAsync(200);
    task.request();
    task.request();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(starts).toEqual([100, 500 + 400 * REST_FACTOR]);
  });

  it("rests after a slow run, even if the next request comes after the run has ended", async () => {
    const { task, starts } = paced(400);
    task.request();
    await vi.advanceTimersByTimeAsync(600);
    task.request();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(starts).toEqual([100, 500 + 400 * REST_FACTOR]);
    task.request();
    await vi.advanceTimersByTimeAsync(100);
    expect(starts).toHaveLength(3);
  });
});
