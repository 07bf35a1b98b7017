/** Runs the steps of a login without a terminal, such as for a desktop program, a script, or a command over ssh. */
import { createInterface } from "node:readline";
import { isHostError, toHostError } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import { renderError } from "../render/render-error.ts";
import type { EventSubscription } from "../events/follow-events.ts";
import { followQuestions } from "../events/follow-questions.ts";
import type { PromptContext } from "../events/follow-questions.ts";
import { renderLoginAlternatives, renderInvalidRedirect } from "../render/logins/render-login-prompt.ts";
import { renderDismissed } from "../render/questions/render-question.ts";
import { whenSettled, isLoginStep, showLoginStep } from "./show-login-step.ts";
import { validateRedirect } from "./validate-redirect.ts";
import type { BrowserStep } from "./validate-redirect.ts";

/** If no browser may be opened, reads the redirect URL from stdin. Dismisses all questions that are not login steps. */
export function loginWithoutTerminal(context: PromptContext): EventSubscription {
  return followQuestions(context, async (question, settled) => {
    try {
      await runLoginStep(question, settled, context);
    } catch (thrown) {
      if (!settled.aborted) context.cli.stderr.write(renderError(toHostError(thrown)));
    }
  });
}

async function runLoginStep(question: Question, settled: AbortSignal, context: PromptContext): Promise<void> {
  const { workspace, cli, mayOpenBrowser } = context;
  const show = (text: string) => cli.stderr.write(text);
  if (!isLoginStep(question)) {
    show(renderDismissed(question));
    return workspace.inbox.dismiss(question.id);
  }
  const result = await showLoginStep(question, { show, openUrl: mayOpenBrowser ? cli.openUrl : undefined, settled });
  if (result?.opened === false) show(renderLoginAlternatives(question));
  if (question.step.type === "device" || mayOpenBrowser) return whenSettled(settled);
  show("Waiting for the browser, or for the redirect URL as one line on stdin.\n");
  const outcome = await readRedirectUrl(question.id, question.step, settled, context);
  // Without input, a browser on this machine may still complete the login. After an invalid URL, the login ends.
  if (outcome === "none") return whenSettled(settled);
  if (outcome === "invalid") return workspace.inbox.dismiss(question.id);
}

/** Reads lines from stdin until the host accepts one as the redirect URL. Returns "none" if stdin has no input. */
async function readRedirectUrl(
  questionId: string,
  step: BrowserStep,
  settled: AbortSignal,
  { workspace, cli: { stdin, stderr } }: PromptContext,
): Promise<"accepted" | "invalid" | "none"> {
  let outcome: "invalid" | "none" = "none";
  const lines = createInterface({ input: stdin });
  const close = () => lines.close();
  settled.addEventListener("abort", close, { once: true });
  try {
    for await (const line of lines) {
      const url = line.trim();
      if (url === "") continue;
      const problem =
        validateRedirect(url, step) ??
        (await rejectionOf(() => workspace.inbox.answer(questionId, { type: "login", action: "redirected", url })));
      if (problem === undefined) return "accepted";
      stderr.write(renderInvalidRedirect(problem));
      outcome = "invalid";
    }
    return outcome;
  } finally {
    settled.removeEventListener("abort", close);
    lines.close();
  }
}

/** Returns why the host rejects the answer, or undefined if it accepts it. */
async function rejectionOf(submit: () => Promise<void>): Promise<string | undefined> {
  try {
    await submit();
    return undefined;
  } catch (thrown) {
    if (isHostError(thrown) && thrown.code === "ANSWER_INVALID") return thrown.details.reason;
    throw thrown;
  }
}
