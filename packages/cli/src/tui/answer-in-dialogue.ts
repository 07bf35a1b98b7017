/** Asks the questions of a chat other than permissions, line by line, in the frame of the chat. */
import { commandMessage, isHostError, sanitizeLine, toHostError } from "@plugboard/contracts";
import { promptQuestion } from "../prompt/prompt-question.ts";
import { isLoginStep, showLoginStep } from "../prompt/show-login-step.ts";
import type { Dialogue } from "../prompt/show-question.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { NoAnswerError } from "../terminal/terminal-lines.ts";
import type { OpenQuestion } from "./session/chat-session.ts";

/** Never rejects. The dialogue rejects with `NoAnswerError` when the question is settled or the user dismisses it. */
export async function answerInDialogue(
  { question, chat, settled }: OpenQuestion,
  dialogue: Dialogue,
  openUrl: CliContext["openUrl"],
): Promise<void> {
  const { inbox } = chat.workspace;
  try {
    if (isLoginStep(question)) await showLoginStep(question, { show: dialogue.show, openUrl, settled });
    while (!settled.aborted) {
      const answer = await promptQuestion(question, dialogue, { mayOpenBrowser: true });
      if (!answer) return await inbox.dismiss(question.id);
      try {
        return await inbox.answer(question.id, answer);
      } catch (thrown) {
        if (!isHostError(thrown) || thrown.code !== "ANSWER_INVALID") throw thrown;
        dialogue.show(`Invalid answer: ${sanitizeLine(thrown.details.reason)}.\n`);
      }
    }
  } catch (thrown) {
    if (settled.aborted) return;
    if (!(thrown instanceof NoAnswerError)) dialogue.show(`${commandMessage(toHostError(thrown))}\n`);
    await inbox.dismiss(question.id).catch(() => {});
  }
}
