/** Tells the queue when a call waits for a person, so that the calls of other clients need not wait as long. */
import type { Outcome } from "@plugboard/mcp";
import type { Turn } from "./caller-queue.ts";

/** Returns the outcome unchanged, except that the queue learns when the call goes on. */
export function yieldTurn(outcome: Outcome, turn: Turn): Outcome {
  // A server that keeps no state for the call does not wait.
  if (outcome.type !== "asks" || outcome.portable) return outcome;
  turn.suspend();
  return {
    ...outcome,
    resume: async (answers, ctx) => {
      turn.resume();
      return yieldTurn(await outcome.resume(answers, ctx), turn);
    },
  };
}
