/** Asks the questions that this command answers on the terminal. */
import { commandMessage, HostError, isHostError, sanitize, sanitizeLine, toHostError } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import type { EventSubscription } from "../events/follow-events.ts";
import { followQuestions } from "../events/follow-questions.ts";
import type { PromptContext } from "../events/follow-questions.ts";
import { approveQuestion } from "./approve-question.ts";
import { promptQuestion } from "./prompt-question.ts";
import { isLoginStep, showLoginStep } from "./show-login-step.ts";
import { requesterName } from "../render/quote-untrusted.ts";
import { notify } from "../terminal/notify.ts";
import { openTerminalLines, NoAnswerError } from "../terminal/terminal-lines.ts";
import type { TerminalLines } from "../terminal/terminal-lines.ts";

export function answerOnTerminal(context: PromptContext): EventSubscription {
  return followQuestions(context, (question, settled) => askOnTerminal(question, settled, context));
}

async function askOnTerminal(question: Question, settled: AbortSignal, context: PromptContext): Promise<void> {
  const { workspace, cli, interruption, mayOpenBrowser, watches = false } = context;
  if (await approveQuestion(question, context)) return;
  if (watches) notify(`${requesterName(question)} has a question`, cli);
  const lines = openTerminalLines(cli, settled, () => interruption.interrupt());
  try {
    if (isLoginStep(question)) {
      const openUrl = mayOpenBrowser ? cli.openUrl : undefined;
      await showLoginStep(question, { show: (text) => lines.show(text), openUrl, settled });
      if (settled.aborted) return;
    }
    await answerUntilAccepted(question, lines, context);
  } catch (thrown) {
    lines.show(interruption.signal.aborted ? "\n" : describeUnanswered(thrown, question));
    // A user who stops watching leaves the question to others.
    const leavesOpen = watches && interruption.signal.aborted;
    if (!settled.aborted && !leavesOpen) await workspace.inbox.dismiss(question.id).catch(() => {});
  } finally {
    lines.close();
  }
  // Says that the prompt has ended, because the command goes on.
  if (watches && !interruption.signal.aborted) cli.stderr.write("The question is settled.\n");
}

/** Asks again if the host rejects the answer as invalid. */
async function answerUntilAccepted(
  question: Question,
  lines: TerminalLines,
  { workspace, mayOpenBrowser }: PromptContext,
): Promise<void> {
  const { inbox } = workspace;
  for (;;) {
    const answer = await promptQuestion(question, lines, { mayOpenBrowser });
    if (!answer) return inbox.dismiss(question.id);
    try {
      return await inbox.answer(question.id, answer);
    } catch (thrown) {
      if (!isHostError(thrown) || thrown.code !== "ANSWER_INVALID") throw thrown;
      lines.show(`  Invalid answer: ${sanitizeLine(thrown.details.reason)}.\n`);
    }
  }
}

function describeUnanswered(thrown: unknown, question: Question): string {
  if (thrown instanceof NoAnswerError) {
    if (thrown.reason === "input ended") return "\n  Dismissed (Ctrl-D).\n";
    // The browser has completed the login. Its result is reported next.
    return isLoginStep(question) ? "\n" : "\n  The question was withdrawn. No answer is needed.\n";
  }
  if (thrown instanceof HostError && thrown.code === "QUESTION_GONE") {
    return "\n  Too late: the question was already settled.\n";
  }
  return `\n  ${sanitize(commandMessage(toHostError(thrown)))}\n`;
}
