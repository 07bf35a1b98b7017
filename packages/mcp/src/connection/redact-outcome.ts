/**
 * Removes the secrets of a server definition from the errors of its connection, because a server may repeat them in an
 * error or in its stderr output. Results are not changed.
 */
import type { Redactor } from "@plugboard/contracts";
import { toHostError } from "@plugboard/contracts";
import type { Outcome } from "../session/outcome.ts";
import type { ConnectAttempt } from "./reconnect-loop.ts";

export function redactOutcome(outcome: Outcome, redactor: Redactor): Outcome {
  const redactNext = (next: Outcome) => redactOutcome(next, redactor);
  switch (outcome.type) {
    case "complete":
      return outcome;
    case "failed":
      return { type: "failed", error: redactor.error(outcome.error) };
    case "task": {
      const { type, task } = outcome;
      return { type, task, follow: (ctx) => outcome.follow(ctx).then(redactNext), cancel: () => outcome.cancel() };
    }
    case "asks": {
      const { type, asks, portable, rejected, obsolete, live } = outcome;
      return {
        type,
        asks,
        ...(portable && { portable }),
        ...(rejected && { rejected }),
        obsolete,
        ...(live && { live }),
        resume: (answers, ctx) => outcome.resume(answers, ctx).then(redactNext),
        abandon: (reason) => outcome.abandon(reason),
      };
    }
  }
}

/** Redacts the errors of a connection attempt, and of the link that it opens. */
export async function redactAttempt<Link>(
  open: (attempt: ConnectAttempt) => Promise<Link>,
  attempt: ConnectAttempt,
  redactor: Redactor,
): Promise<Link> {
  try {
    return await open({ ...attempt, fail: (error) => attempt.fail(redactor.error(error)) });
  } catch (error) {
    throw redactor.error(toHostError(error));
  }
}
