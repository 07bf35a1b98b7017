/** What has to be done for a login, said and, where it is to visit a page, begun. */
import type { LoginQuestion, LoginStep, Question } from "@plugboard/contracts";
import type { Surroundings } from "../surroundings.ts";
import { renderBrowser, renderLoginStep } from "./render-login.ts";
import type { TerminalLines } from "./terminal-lines.ts";

export type LoginStepQuestion = LoginQuestion & { readonly step: LoginStep };

export function isLoginStep(question: Question): question is LoginStepQuestion {
  return question.type === "login" && question.step !== undefined;
}

/** The address is said in any case: the browser that opens may be none, or the wrong one. Without `openUrl` none is opened. */
export async function showLoginStep(
  question: LoginStepQuestion,
  { show }: Pick<TerminalLines, "show">,
  openUrl: Surroundings["openUrl"] | undefined,
): Promise<void> {
  show(renderLoginStep(question));
  if (question.step.type === "browser" && openUrl) show(renderBrowser(await openUrl(question.step.url)));
}
