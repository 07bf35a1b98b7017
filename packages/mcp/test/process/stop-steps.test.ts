import { STOP_STEPS, nextStopStep } from "#process/stop-steps.js";
import { describe, expect, it } from "vitest";

describe("nextStopStep", () => {
  it("goes from the end of stdin to SIGTERM to SIGKILL", () => {
    expect(runSteps([false, false, false, false])).toEqual(["end stdin", "SIGTERM", "SIGKILL"]);
  });

  it.each([
    ["before the first step", [true, true], ["SIGKILL"]],
    ["while stdin is closed", [false, true, true], ["end stdin", "SIGKILL"]],
    ["after SIGTERM", [false, false, true, true], ["end stdin", "SIGTERM", "SIGKILL"]],
    ["after SIGKILL", [false, false, false, true], ["end stdin", "SIGTERM", "SIGKILL"]],
  ])("skips to SIGKILL on a second stop request %s", (_, forced, done) => {
    expect(runSteps(forced)).toEqual(done);
  });

  it("gives each step time to work", () => {
    for (const { waitMs } of STOP_STEPS) expect(waitMs).toBeGreaterThan(0);
  });
});

/** Returns the steps. Each element says whether a stop was requested again before that step. */
function runSteps(forced: readonly boolean[]): string[] {
  const done: string[] = [];
  let at = -1;
  for (const again of forced) {
    const next = nextStopStep(at, again);
    if (next === undefined) return done;
    const rung = STOP_STEPS[next]!;
    done.push(rung.do === "signal" ? rung.signal : rung.do);
    at = next;
  }
  throw new Error(`the ladder has no end after ${done.join(", ")}`);
}
