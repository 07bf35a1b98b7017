/** What has to be done for a login, said and, where it is to visit a page, begun. */
import type { LoginQuestion, LoginStep, Question } from "@plugboard/contracts";
import type { OpenedUrl, Surroundings } from "../surroundings.ts";
import { renderBrowser, renderLoginStep } from "./render-login.ts";

export type LoginStepQuestion = LoginQuestion & { readonly step: LoginStep };

export function isLoginStep(question: Question): question is LoginStepQuestion {
  return question.type === "login" && question.step !== undefined;
}

interface Showing {
  readonly show: (text: string) => void;
  /** None is opened without it. */
  readonly openUrl: Surroundings["openUrl"] | undefined;
  readonly gone: AbortSignal;
}

/** The address is said in any case: the browser that opens may be none, or the wrong one. Returns what became of it, if it was to be opened. */
export async function showLoginStep(
  question: LoginStepQuestion,
  { show, openUrl, gone }: Showing,
): Promise<OpenedUrl | undefined> {
  show(renderLoginStep(question));
  if (question.step.type !== "browser" || !openUrl) return undefined;
  const result = await Promise.race([openUrl(question.step.url), fired(gone)]);
  // The browser may be back before it is known that it was opened.
  if (!result || gone.aborted) return undefined;
  show(renderBrowser(result));
  return result;
}

export function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
