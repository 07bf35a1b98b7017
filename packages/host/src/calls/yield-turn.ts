/** Tells the queue when a call waits for a person. Calls of other clients then wait a shorter time for it. */
import type { Outcome } from "@plugboard/mcp";
import type { Turn } from "./caller-queue.ts";

/** Returns the outcome unchanged, except that the queue learns when the call goes on. */
export function yieldTurn(outcome: Outcome, turn: Turn): Outcome {
  // A portable outcome is continued by a new request. Its call holds no turn while the person is asked.
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
