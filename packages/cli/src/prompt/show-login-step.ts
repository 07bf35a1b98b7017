/** What has to be done for a login, said and, where it is to visit a page, begun. */
import type { Question } from "@plugboard/contracts";
import type { OpenUrlResult, CliContext } from "../terminal/cli-context.ts";
import { renderLoginStep, renderOpenUrlResult } from "../render/render-login-prompt.ts";
import type { LoginStepQuestion } from "../render/render-login-prompt.ts";

export function isLoginStep(question: Question): question is LoginStepQuestion {
  return question.type === "login" && question.step !== undefined;
}

interface ShowLoginStepOptions {
  readonly show: (text: string) => void;
  /** None is opened without it. */
  readonly openUrl: CliContext["openUrl"] | undefined;
  readonly settled: AbortSignal;
}

/** The address is said in any case: the browser that opens may be none, or the wrong one. Returns what became of it, if it was to be opened. */
export async function showLoginStep(
  question: LoginStepQuestion,
  { show, openUrl, settled }: ShowLoginStepOptions,
): Promise<OpenUrlResult | undefined> {
  show(renderLoginStep(question));
  if (question.step.type !== "browser" || !openUrl) return undefined;
  const result = await Promise.race([openUrl(question.step.url), untilAborted(settled)]);
  // The browser may be back before it is known that it was opened.
  if (!result || settled.aborted) return undefined;
  show(renderOpenUrlResult(result));
  return result;
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
