/** Takes an outcome to its end: a task is followed, and whatever the server asks on the way is put to a person. */
import { HostError } from "@plugboard/contracts";
import type { Settlement } from "@plugboard/contracts";
import type { Ask, AskAnswer, Outcome, Suspended } from "@plugboard/mcp";

export interface DriveContext {
  readonly signal?: AbortSignal | undefined;
  /** Answers an ask; the signal takes it back. */
  readonly ask: (ask: Ask, signal: AbortSignal) => Promise<AskAnswer>;
}

export type Ended = Extract<Outcome, { type: "complete" | "failed" }>;

export async function drive(outcome: Outcome, ctx: DriveContext): Promise<Ended> {
  let current = outcome;
  while (current.type === "asks" || current.type === "task") {
    if (current.type === "task") {
      current = await current.follow({ signal: ctx.signal });
      continue;
    }
    const answers = await settleAll(current, ctx);
    if (ctx.signal?.aborted) {
      current.abandon("the caller gave up");
      return { type: "failed", error: new HostError("CANCELLED", { reason: "the caller gave up" }) };
    }
    current = await current.resume(answers, { signal: ctx.signal });
  }
  return current;
}

async function settleAll({ asks, overtaken }: Suspended, { ask, signal }: DriveContext) {
  const gone = signal ? AbortSignal.any([signal, overtaken]) : overtaken;
  const settled = Object.entries(asks).map(async ([key, one]) => {
    const taken = one.withdrawn ? AbortSignal.any([gone, one.withdrawn]) : gone;
    return [key, await ask(one, taken)] as const;
  });
  return Object.fromEntries(await Promise.all(settled));
}

/** Only a person's word accepts or declines; everything else is no choice at all. */
export function answerOf(settlement: Settlement): AskAnswer {
  if (settlement.by !== "answered" || settlement.answer.type !== "elicitation") return { action: "cancel" };
  const { type: _, ...answer } = settlement.answer;
  return answer;
}
