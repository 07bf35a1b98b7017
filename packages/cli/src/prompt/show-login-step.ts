/** Shows a step of a login and opens its page in the browser. */
import type { Question } from "@plugboard/contracts";
import type { OpenUrlResult } from "@plugboard/mcp/process";
import type { CliContext } from "../terminal/cli-context.ts";
import { renderLoginStep, renderOpenUrlResult } from "../render/logins/render-login-prompt.ts";
import type { LoginStepQuestion } from "../render/logins/render-login-prompt.ts";

export function isLoginStep(question: Question): question is LoginStepQuestion {
  return question.type === "login" && question.step !== undefined;
}

interface ShowLoginStepOptions {
  readonly show: (text: string) => void;
  /** Without it, no browser is opened. */
  readonly openUrl: CliContext["openUrl"] | undefined;
  readonly settled: AbortSignal;
}

/**
 * Always shows the URL, because the browser may fail to open or may be the wrong one. Returns the result of opening the
 * browser, or undefined if it was not opened or the login is already settled.
 */
export async function showLoginStep(
  question: LoginStepQuestion,
  { show, openUrl, settled }: ShowLoginStepOptions,
): Promise<OpenUrlResult | undefined> {
  show(renderLoginStep(question));
  if (question.step.type !== "browser" || !openUrl) return undefined;
  const result = await Promise.race([openUrl(question.step.url), whenSettled(settled)]);
  // The login may be complete before the browser command returns.
  if (!result || settled.aborted) return undefined;
  show(renderOpenUrlResult(result));
  return result;
}

/** Resolves when the login is settled. */
export function whenSettled(settled: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (settled.aborted) resolve();
    settled.addEventListener("abort", () => resolve(), { once: true });
  });
}
