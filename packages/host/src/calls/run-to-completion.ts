/** Runs an outcome to its end: follows a task, and answers everything that the server asks. */
import { cancelled, CALLER_CANCELLED } from "@plugboard/contracts";
import type { Ask, AskAnswer, AskAnswers, Outcome, Suspended } from "@plugboard/mcp";

export interface RunToCompletionOptions {
  readonly signal?: AbortSignal | undefined;
  /** Answers one question of the server. The signal aborts when the answer is no longer needed. */
  readonly ask: (ask: Ask, signal: AbortSignal) => Promise<AskAnswer>;
}

export type CompleteOutcome = Extract<Outcome, { type: "complete" }>;
export type FailedOutcome = Extract<Outcome, { type: "failed" }>;
export type FinalOutcome = CompleteOutcome | FailedOutcome;

export async function runToCompletion(outcome: Outcome, ctx: RunToCompletionOptions): Promise<FinalOutcome> {
  let current = outcome;
  while (current.type === "asks" || current.type === "task") {
    if (current.type === "task") {
      current = await current.follow({ signal: ctx.signal });
      continue;
    }
    const answers = await answerAsks(current, ctx);
    if (ctx.signal?.aborted) {
      current.abandon(CALLER_CANCELLED);
      return { type: "failed", error: cancelled() };
    }
    current = await current.resume(answers, { signal: ctx.signal });
  }
  return current;
}

/** Answers everything that the server asks in a suspended call. */
export async function answerAsks(
  { asks, obsolete }: Suspended,
  { ask, signal }: RunToCompletionOptions,
): Promise<AskAnswers> {
  const stopAll = signal ? AbortSignal.any([signal, obsolete]) : obsolete;
  const answers = Object.entries(asks).map(async ([key, question]) => {
    const stop = question.withdrawn ? AbortSignal.any([stopAll, question.withdrawn]) : stopAll;
    return [key, await ask(question, stop)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}
