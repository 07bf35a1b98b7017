/** Runs something when a call has really ended, however often it asks on the way. */
import type { Outcome } from "@plugboard/mcp";

export function untilEnded(outcome: Outcome, ended: () => void): Outcome {
  if (outcome.type !== "asks") {
    ended();
    return outcome;
  }
  return {
    ...outcome,
    async resume(answers, ctx) {
      return untilEnded(await outcome.resume(answers, ctx), ended);
    },
    abandon(reason) {
      outcome.abandon(reason);
      ended();
    },
  };
}
