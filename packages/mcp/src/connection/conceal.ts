/**
 * What a server was given in confidence, it may say aloud: in an error, in its
 * last words, in how it hangs up. Whoever knows the secrets of a definition takes
 * them out of all that leaves its connection and is not an answer.
 */
import type { HostError } from "@plugboard/contracts";
import { toHostError } from "@plugboard/contracts";
import type { Outcome } from "../dialect/outcome.ts";
import type { Attempt } from "./supervision.ts";

export interface Concealer {
  text(said: string): string;
  error(error: HostError): HostError;
}

export function concealOutcome(outcome: Outcome, conceal: Concealer): Outcome {
  const later = (next: Outcome) => concealOutcome(next, conceal);
  switch (outcome.type) {
    case "complete":
      return outcome;
    case "failed":
      return { type: "failed", error: conceal.error(outcome.error) };
    case "task": {
      const { type, task } = outcome;
      return { type, task, follow: (ctx) => outcome.follow(ctx).then(later), cancel: () => outcome.cancel() };
    }
    case "asks": {
      const { type, asks, portable, overtaken } = outcome;
      return {
        type,
        asks,
        ...(portable && { portable }),
        overtaken,
        resume: (answers, ctx) => outcome.resume(answers, ctx).then(later),
        abandon: (reason) => outcome.abandon(reason),
      };
    }
  }
}

/** The same of an attempt to reach the server, and of how the link that comes of it is lost. */
export async function concealAttempt<Link>(
  open: (attempt: Attempt) => Promise<Link>,
  attempt: Attempt,
  conceal: Concealer,
): Promise<Link> {
  try {
    return await open({ ...attempt, lost: (error) => attempt.lost(conceal.error(error)) });
  } catch (error) {
    throw conceal.error(toHostError(error));
  }
}
