/** Repeats the questions that a client has left unanswered when it resumed a parked call. */
import type { AskAnswers, Suspended } from "@plugboard/mcp";

/** Returns the call with the unanswered questions, or undefined if every question has an answer or needs none. */
export function askAgain(suspended: Suspended, answers: AskAnswers): Suspended | undefined {
  const { asks, obsolete } = suspended;
  if (obsolete.aborted) return undefined;
  const open = Object.entries(asks).filter(([key, ask]) => !Object.hasOwn(answers, key) && !ask.withdrawn?.aborted);
  if (open.length === 0) return undefined;
  return {
    ...suspended,
    asks: Object.fromEntries(open),
    resume: (more, ctx) => suspended.resume({ ...answers, ...more }, ctx),
  };
}
