/** Puts the questions of this command's own calls to the person at the terminal. */
import { HostError, isHostError, sanitise, sanitiseLine, toHostError } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import type { Following } from "./follow-events.ts";
import { followQuestions } from "./follow-questions.ts";
import type { Asking } from "./follow-questions.ts";
import { putQuestion } from "./put-question.ts";
import { isLoginStep, showLoginStep } from "./show-login-step.ts";
import { openTerminalLines, Unanswered } from "./terminal-lines.ts";
import type { TerminalLines } from "./terminal-lines.ts";

export function answerOnTerminal(asking: Asking): Following {
  return followQuestions(asking, (question, gone) => ask(question, gone, asking));
}

async function ask(question: Question, gone: AbortSignal, asking: Asking): Promise<void> {
  const { workspace, surroundings, interruption, browser } = asking;
  const lines = openTerminalLines(surroundings, gone, () => interruption.interrupt());
  try {
    if (isLoginStep(question)) {
      const openUrl = browser ? surroundings.openUrl : undefined;
      await showLoginStep(question, { show: (text) => lines.show(text), openUrl, gone });
      if (gone.aborted) return;
    }
    await settle(question, lines, asking);
  } catch (thrown) {
    lines.show(interruption.signal.aborted ? "\n" : whyUnanswered(thrown, question));
    if (!gone.aborted) await workspace.inbox.dismiss(question.id).catch(() => {});
  } finally {
    lines.close();
  }
}

/** An answer that is not taken leaves the question open: it is put again. */
async function settle(question: Question, lines: TerminalLines, { workspace, browser }: Asking): Promise<void> {
  const { inbox } = workspace;
  for (;;) {
    const answer = await putQuestion(question, lines, browser);
    if (!answer) return inbox.dismiss(question.id);
    try {
      return await inbox.answer(question.id, answer);
    } catch (thrown) {
      if (!isHostError(thrown) || thrown.code !== "ANSWER_INVALID") throw thrown;
      lines.show(`  That is no answer: ${sanitiseLine(thrown.details.what)}.\n`);
    }
  }
}

function whyUnanswered(thrown: unknown, question: Question): string {
  if (thrown instanceof Unanswered) {
    if (thrown.why === "input ended") return "\n  Dismissed (Ctrl-D).\n";
    // The browser has come back by itself, and what comes of it is said in a moment.
    return isLoginStep(question) ? "\n" : "\n  No answer is needed any more: the question was taken back.\n";
  }
  if (thrown instanceof HostError && thrown.code === "QUESTION_GONE") {
    return "\n  That came too late: the question was settled meanwhile.\n";
  }
  return `\n  ${sanitise(toHostError(thrown).message)}\n`;
}
