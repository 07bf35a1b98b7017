/** What a login asks of the person at the terminal: whether to begin, and the address that a browser elsewhere ended at. */
import type { LoginAnswer, LoginQuestion } from "@plugboard/contracts";
import { showQuestion } from "./show-question.ts";
import type { Dialogue } from "./show-question.ts";
import { requesterName } from "../render/quote-untrusted.ts";
import { renderLogin, renderInvalidRedirect } from "../render/render-login-prompt.ts";
import { validateRedirect } from "./validate-redirect.ts";
import type { BrowserStep } from "./validate-redirect.ts";

const PASTE_PROMPT = "paste the address that the browser ends at here: ";
const PASTE_FROM_OTHER_MACHINE_PROMPT = "if the browser is on another machine, paste the address it ends at here: ";
const CANCEL = { type: "login", action: "cancel" } as const;

/** A step has been shown already. `browser`: whether one of this machine may be opened for it. */
export function promptLogin(question: LoginQuestion, dialogue: Dialogue, browser: boolean): Promise<LoginAnswer> {
  const { step } = question;
  const login = `Log in to ${requesterName({ server: question.server })}`;
  if (!step) {
    return confirmLogin(
      login,
      showQuestion(dialogue, (quote) => renderLogin(question, quote)),
    );
  }
  if (step.type === "device") return readCancel(login, dialogue);
  return readRedirectUrl(step, `${login}: ${browser ? PASTE_FROM_OTHER_MACHINE_PROMPT : PASTE_PROMPT}`, dialogue);
}

async function confirmLogin(login: string, { read }: Dialogue): Promise<LoginAnswer> {
  for (;;) {
    const typed = (await read(`${login} now, in the browser? y / n: `)).trim();
    if (/^y(es)?$/i.test(typed)) return { type: "login", action: "begin" };
    if (/^(no?|:decline|:cancel)$/i.test(typed)) return CANCEL;
  }
}

/** Mostly it is not needed: the browser comes back by itself, and the question is taken back. */
async function readRedirectUrl(step: BrowserStep, prompt: string, { read, show }: Dialogue): Promise<LoginAnswer> {
  for (;;) {
    const url = (await read(prompt)).trim();
    if (url === ":cancel" || url === ":decline") return CANCEL;
    const problem = url === "" ? undefined : validateRedirect(url, step);
    if (problem !== undefined) show(renderInvalidRedirect(problem));
    else if (url !== "") return { type: "login", action: "redirected", url };
  }
}

/** There is nothing to answer: the question is taken back when the code has been typed. */
async function readCancel(login: string, { read }: Dialogue): Promise<LoginAnswer> {
  for (;;) {
    const typed = (await read(`${login}: waiting until you have done so (:cancel gives it up): `)).trim();
    if (typed === ":cancel" || typed === ":decline") return CANCEL;
  }
}
