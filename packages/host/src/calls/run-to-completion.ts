/** Runs an outcome to its end: follows a task, and answers everything that the server asks. */
import { cancelled, CALLER_CANCELLED, toAbortSignal } from "@plugboard/contracts";
import type { Ask, AskAnswer, AskAnswers, Outcome, Suspended } from "@plugboard/mcp";
import type { CancelSignal } from "@plugboard/contracts";

export interface RunToCompletionOptions {
  readonly signal?: CancelSignal | undefined;
  /** Answers one question of the server. The signal aborts when the answer is no longer needed. */
  readonly ask: (ask: Ask, signal: AbortSignal) => Promise<AskAnswer>;
  /** Returns false for a question that came while others were answered, and belongs to the next outcome. */
  readonly takes?: (ask: Ask) => boolean;
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

/**
 * Answers all questions of a suspended call, also questions that arrive meanwhile. Resolves with all answers. If the
 * call is `live`, the server also gets each answer at once.
 */
export function answerAsks(
  { asks, obsolete, live }: Suspended,
  { ask, takes, signal }: RunToCompletionOptions,
): Promise<AskAnswers> {
  const stopAll = signal ? AbortSignal.any([toAbortSignal(signal), obsolete]) : obsolete;
  const answers: { [key: string]: AskAnswer } = {};
  return new Promise((resolve, reject) => {
    // Starts at 1 for this function itself, so that nothing resolves before all questions are asked.
    let open = 1;
    const end = () => {
      if (--open > 0) return;
      stopListening?.();
      resolve(answers);
    };
    const answerOne = async (key: string, question: Ask) => {
      open += 1;
      const stop = question.withdrawn ? AbortSignal.any([stopAll, question.withdrawn]) : stopAll;
      const answer = await ask(question, stop);
      answers[key] = answer;
      if (!stop.aborted) live?.answer(key, answer);
      end();
    };
    for (const [key, question] of Object.entries(asks)) answerOne(key, question).catch(reject);
    const stopListening = live?.onAsk((key, question) => {
      if (takes && !takes(question)) return false;
      answerOne(key, question).catch(reject);
      return true;
    });
    end();
  });
}
