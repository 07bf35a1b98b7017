/** Asks the questions of a login on the terminal: whether to log in, and the redirect URL of a browser elsewhere. */
import type { LoginAnswer, LoginQuestion } from "@plugboard/contracts";
import { showQuestion } from "./show-question.ts";
import type { Dialogue } from "./show-question.ts";
import { requesterName } from "../render/quote-untrusted.ts";
import { renderLogin, renderInvalidRedirect } from "../render/logins/render-login-prompt.ts";
import { validateRedirect } from "./validate-redirect.ts";
import type { BrowserStep } from "./validate-redirect.ts";

const PASTE_PROMPT = "paste the URL that the browser was redirected to: ";
const PASTE_FROM_OTHER_MACHINE_PROMPT = "if the browser is on another machine, paste the URL it was redirected to: ";
const CANCEL = { type: "login", action: "cancel" } as const;

/**
 * If the question has a step, the caller has shown it. `mayOpenBrowser` is true if a browser on this machine may be
 * opened.
 */
export function promptLogin(
  question: LoginQuestion,
  dialogue: Dialogue,
  { mayOpenBrowser }: { readonly mayOpenBrowser: boolean },
): Promise<LoginAnswer> {
  const { step } = question;
  const promptStart = `Log in to ${requesterName({ server: question.server })}`;
  if (!step) {
    return confirmLogin(
      promptStart,
      showQuestion(dialogue, (quote) => renderLogin(question, quote)),
    );
  }
  if (step.type === "device") return readCancel(promptStart, dialogue);
  return readRedirectUrl(
    step,
    `${promptStart}: ${mayOpenBrowser ? PASTE_FROM_OTHER_MACHINE_PROMPT : PASTE_PROMPT}`,
    dialogue,
  );
}

async function confirmLogin(promptStart: string, { read }: Dialogue): Promise<LoginAnswer> {
  for (;;) {
    const typed = (await read(`${promptStart} now, in the browser? y / n: `)).trim();
    if (/^y(es)?$/i.test(typed)) return { type: "login", action: "begin" };
    if (/^(no?|:decline|:cancel)$/i.test(typed)) return CANCEL;
  }
}

/** Reads a pasted redirect URL. If a browser on this machine completes the login first, the question is withdrawn. */
async function readRedirectUrl(step: BrowserStep, prompt: string, { read, show }: Dialogue): Promise<LoginAnswer> {
  for (;;) {
    const url = (await read(prompt)).trim();
    if (url === ":cancel" || url === ":decline") return CANCEL;
    const problem = url === "" ? undefined : validateRedirect(url, step);
    if (problem !== undefined) show(renderInvalidRedirect(problem));
    else if (url !== "") return { type: "login", action: "redirected", url };
  }
}

/** Accepts only :cancel. The question is withdrawn when the user has entered the code. */
async function readCancel(promptStart: string, { read }: Dialogue): Promise<LoginAnswer> {
  for (;;) {
    const typed = (await read(`${promptStart}: waiting for you to enter the code (:cancel to stop): `)).trim();
    if (typed === ":cancel" || typed === ":decline") return CANCEL;
  }
}
