/** Answers the permission questions that the user has allowed on the command line. */
import { toHostError } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import type { EventSubscription } from "../events/follow-events.ts";
import { followQuestions } from "../events/follow-questions.ts";
import type { PromptContext } from "../events/follow-questions.ts";
import { renderError } from "../render/render-error.ts";
import { renderDismissed } from "../render/questions/render-question.ts";

/** Returns whether the question was allowed on the command line, and then answers it for this call only. */
export async function approveQuestion(question: Question, context: PromptContext): Promise<boolean> {
  if (question.type !== "permission" || context.approves?.(question) !== true) return false;
  await settle(context, () => context.workspace.inbox.answer(question.id, { type: "permission", decision: "once" }));
  return true;
}

/** Used without a terminal. Dismisses all other questions, because nobody can answer them. */
export function approveWithoutTerminal(context: PromptContext): EventSubscription {
  return followQuestions(context, async (question) => {
    if (await approveQuestion(question, context)) return;
    context.cli.stderr.write(renderDismissed(question));
    await settle(context, () => context.workspace.inbox.dismiss(question.id));
  });
}

/** Reports a failure, because the next question must not wait for this one. */
async function settle({ cli }: PromptContext, submit: () => Promise<void>): Promise<void> {
  try {
    await submit();
  } catch (thrown) {
    cli.stderr.write(renderError(toHostError(thrown)));
  }
}
