/** Carries a login through where nobody is at a terminal: a desktop that launched the command, a script, ssh. */
import { createInterface } from "node:readline";
import { isHostError, toHostError } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import { renderError } from "../render/error.ts";
import type { Following } from "./follow-events.ts";
import { followQuestions } from "./follow-questions.ts";
import type { Asking } from "./follow-questions.ts";
import { renderOtherWays, renderWrongRedirect } from "./render-login.ts";
import { renderDismissed } from "./render-question.ts";
import { fired, isLoginStep, showLoginStep } from "./show-login-step.ts";
import { wrongRedirect } from "./wrong-redirect.ts";
import type { BrowserStep } from "./wrong-redirect.ts";

/** Without a browser, the address that one elsewhere ended at is a line of stdin. */
export function loginWithoutTerminal(asking: Asking): Following {
  return followQuestions(asking, async (question, gone) => {
    try {
      await carryThrough(question, gone, asking);
    } catch (thrown) {
      if (!gone.aborted) asking.surroundings.stderr.write(renderError(toHostError(thrown), false));
    }
  });
}

async function carryThrough(question: Question, gone: AbortSignal, asking: Asking): Promise<void> {
  const { workspace, surroundings, browser } = asking;
  const show = (text: string) => void surroundings.stderr.write(text);
  if (!isLoginStep(question)) {
    show(renderDismissed(question));
    return workspace.inbox.dismiss(question.id);
  }
  const result = await showLoginStep(question, { show, openUrl: browser ? surroundings.openUrl : undefined, gone });
  if (result?.opened === false) show(renderOtherWays(question));
  if (question.step.type === "device" || browser) return fired(gone);
  show("Waiting for the browser, or for the address it ends at, on one line of stdin.\n");
  const read = await readRedirected(question.id, question.step, gone, asking);
  // A browser of this machine comes back by itself, but whoever has given a wrong address waits for nothing.
  if (read === "nothing") return fired(gone);
  if (read === "wrong") return workspace.inbox.dismiss(question.id);
}

/** Reads lines until one is taken. */
async function readRedirected(
  question: string,
  step: BrowserStep,
  gone: AbortSignal,
  { workspace, surroundings: { stdin, stderr } }: Asking,
): Promise<"taken" | "wrong" | "nothing"> {
  let read: "wrong" | "nothing" = "nothing";
  const lines = createInterface({ input: stdin });
  const close = () => lines.close();
  gone.addEventListener("abort", close, { once: true });
  try {
    for await (const line of lines) {
      const url = line.trim();
      if (url === "") continue;
      const why = wrongRedirect(url, step) ?? (await refusal(() => workspace.inbox.answer(question, answer(url))));
      if (why === undefined) return "taken";
      stderr.write(renderWrongRedirect(why));
      read = "wrong";
    }
    return read;
  } finally {
    gone.removeEventListener("abort", close);
    lines.close();
  }
}

function answer(url: string) {
  return { type: "login", action: "redirected", url } as const;
}

/** Why the host did not take it. */
async function refusal(give: () => Promise<void>): Promise<string | undefined> {
  try {
    await give();
    return undefined;
  } catch (thrown) {
    if (isHostError(thrown) && thrown.code === "ANSWER_INVALID") return thrown.details.what;
    throw thrown;
  }
}
