import { STOP_STEPS, nextStopStep } from "#process/stop-steps.js";
import { describe, expect, it } from "vitest";

describe("nextStopStep", () => {
  it("goes from the end of stdin to SIGTERM to SIGKILL", () => {
    expect(runSteps([false, false, false, false])).toEqual(["end stdin", "SIGTERM", "SIGKILL"]);
  });

  it.each([
    ["before the first step", [true, true], ["SIGKILL"]],
    ["after the end of stdin", [false, true, true], ["end stdin", "SIGKILL"]],
    ["after SIGTERM", [false, false, true, true], ["end stdin", "SIGTERM", "SIGKILL"]],
    ["after SIGKILL", [false, false, false, true], ["end stdin", "SIGTERM", "SIGKILL"]],
  ])("skips to SIGKILL if stop is requested again %s", (_, forced, done) => {
    expect(runSteps(forced)).toEqual(done);
  });

  it("gives each step time to work", () => {
    for (const { waitMs } of STOP_STEPS) expect(waitMs).toBeGreaterThan(0);
  });
});

/** Returns the steps that are run. Each element of `forced` says whether stop was requested again before that step. */
function runSteps(forced: readonly boolean[]): string[] {
  const done: string[] = [];
  let index = -1;
  for (const isForced of forced) {
    const next = nextStopStep(index, isForced);
    if (next === undefined) return done;
    const step = STOP_STEPS[next]!;
    done.push(step.do === "signal" ? step.signal : step.do);
    index = next;
  }
  throw new Error(`the steps do not end after ${done.join(", ")}`);
}
