/** Takes an outcome to its end: a task is followed, and whatever the server asks on the way is put to a person. */
import { cancelled, CALLER_CANCELLED } from "@plugboard/contracts";
import type { Settlement } from "@plugboard/contracts";
import type { Ask, AskAnswer, Outcome, Suspended } from "@plugboard/mcp";

export interface RunToCompletionOptions {
  readonly signal?: AbortSignal | undefined;
  /** Answers an ask; the signal takes it back. */
  readonly ask: (ask: Ask, signal: AbortSignal) => Promise<AskAnswer>;
}

export type FinalOutcome = Extract<Outcome, { type: "complete" | "failed" }>;

export async function runToCompletion(outcome: Outcome, ctx: RunToCompletionOptions): Promise<FinalOutcome> {
  let current = outcome;
  while (current.type === "asks" || current.type === "task") {
    if (current.type === "task") {
      current = await current.follow({ signal: ctx.signal });
      continue;
    }
    const answers = await answerAll(current, ctx);
    if (ctx.signal?.aborted) {
      current.abandon(CALLER_CANCELLED);
      return { type: "failed", error: cancelled() };
    }
    current = await current.resume(answers, { signal: ctx.signal });
  }
  return current;
}

async function answerAll({ asks, obsolete }: Suspended, { ask, signal }: RunToCompletionOptions) {
  const cancelled = signal ? AbortSignal.any([signal, obsolete]) : obsolete;
  const answers = Object.entries(asks).map(async ([key, one]) => {
    const askSignal = one.withdrawn ? AbortSignal.any([cancelled, one.withdrawn]) : cancelled;
    return [key, await ask(one, askSignal)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** Only a person's word accepts or declines; everything else is no choice at all. */
export function toAskAnswer(settlement: Settlement): AskAnswer {
  if (settlement.by !== "answered" || settlement.answer.type !== "elicitation") return { action: "cancel" };
  const { type: _, ...answer } = settlement.answer;
  return answer;
}
