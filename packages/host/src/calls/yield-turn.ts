/** Ends a call that waits for a person when another caller has to wait too long for its turn at the server. */
import type { Outcome } from "@plugboard/mcp";
import type { Turn } from "./caller-queue.ts";

const REASON = "its user did not answer the server's questions in time while another client waited for the server";

/** Returns the outcome unchanged, except that the queue can end a call whose server waits for the answers. */
export function yieldTurn(outcome: Outcome, turn: Turn): Outcome {
  // A server that keeps no state for the call does not wait.
  if (outcome.type !== "asks" || outcome.portable) return outcome;
  turn.suspend(() => outcome.abandon(REASON));
  return {
    ...outcome,
    resume: async (answers, ctx) => {
      turn.resume();
      return yieldTurn(await outcome.resume(answers, ctx), turn);
    },
  };
}
