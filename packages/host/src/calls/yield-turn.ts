/** Tells the queue that a call waits for a person, so that calls of other clients need not wait for its end. */
import type { Outcome } from "@plugboard/mcp";
import type { Turn } from "./caller-queue.ts";

/** Returns the same outcome, whose `resume` also tells the queue that the call goes on. */
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
