/** What a login asks of the person at the terminal: whether to begin, and the address that a browser elsewhere ended at. */
import type { LoginAnswer, LoginQuestion } from "@plugboard/contracts";
import { renderLogin, renderWrongRedirect } from "./render-login.ts";
import type { TerminalLines } from "./terminal-lines.ts";
import { wrongRedirect } from "./wrong-redirect.ts";
import type { BrowserStep } from "./wrong-redirect.ts";

type Dialogue = Pick<TerminalLines, "read" | "show">;

const PASTE = "  Paste the address that the browser ends at here: ";
const PASTE_FROM_ELSEWHERE = "  If the browser is on another machine, paste the address it ends at here: ";
const CANCEL = { type: "login", action: "cancel" } as const;

/** A step has been shown already. `browser`: whether one of this machine may be opened for it. */
export function putLogin(question: LoginQuestion, dialogue: Dialogue, browser: boolean): Promise<LoginAnswer> {
  const { step } = question;
  if (!step) {
    dialogue.show(renderLogin(question));
    return readBegin(dialogue);
  }
  if (step.type === "device") return readGivenUp(dialogue);
  return readRedirected(step, browser ? PASTE_FROM_ELSEWHERE : PASTE, dialogue);
}

async function readBegin({ read }: Dialogue): Promise<LoginAnswer> {
  for (;;) {
    const typed = (await read("Log in now, in the browser? y / n: ")).trim();
    if (/^y(es)?$/i.test(typed)) return { type: "login", action: "begin" };
    if (/^(no?|:decline|:cancel)$/i.test(typed)) return CANCEL;
  }
}

/** Mostly it is not needed: the browser comes back by itself, and the question is taken back. */
async function readRedirected(step: BrowserStep, prompt: string, { read, show }: Dialogue): Promise<LoginAnswer> {
  for (;;) {
    const url = (await read(prompt)).trim();
    if (url === ":cancel" || url === ":decline") return CANCEL;
    const why = url === "" ? undefined : wrongRedirect(url, step);
    if (why !== undefined) show(renderWrongRedirect(why));
    else if (url !== "") return { type: "login", action: "redirected", url };
  }
}

/** There is nothing to answer: the question is taken back when the code has been typed. */
async function readGivenUp({ read }: Dialogue): Promise<LoginAnswer> {
  for (;;) {
    const typed = (await read("  Waiting until you have done so (:cancel gives it up): ")).trim();
    if (typed === ":cancel" || typed === ":decline") return CANCEL;
  }
}
