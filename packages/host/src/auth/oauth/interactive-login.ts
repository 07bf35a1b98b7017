/**
 * Asks the user about a login through the inbox: first whether to start, then to perform a step in the browser.
 * The questions belong to the caller whose request needs the login, or to the workspace.
 */
import { cancelled, HostError, toHostError } from "@plugboard/contracts";
import type { HostEventData, LoginStep, LoginMethod, QuestionOwner, Settlement } from "@plugboard/contracts";
import type { QuestionInbox } from "../../inbox/question-inbox.ts";
import type { LoginDetails } from "./obtain-tokens.ts";
import type { OAuthLogin } from "./oauth-login.ts";

export interface InteractiveLoginPorts {
  readonly inbox: QuestionInbox;
  readonly emit: (event: HostEventData) => void;
  /** If this port is absent, the front end opens the URL of the question. */
  readonly openUrl?: OpenUrlPort | undefined;
}

/** Opens a URL in the browser of the user. */
export type OpenUrlPort = (url: string) => unknown;

export interface InteractiveLogin {
  readonly login: OAuthLogin;
  readonly server: string;
  readonly account?: string | undefined;
  readonly owner: QuestionOwner;
  readonly signal?: AbortSignal | undefined;
}

/** How long a question that belongs to the workspace stays open: 20 days, because a Node timer can't exceed 24 days. */
const STANDING_QUESTION_MS = 20 * 24 * 3600 * 1000;

/** Asks whether to log in. Returns undefined if the user declines or does not answer. */
export async function confirmLogin(
  request: InteractiveLogin,
  { inbox }: InteractiveLoginPorts,
): Promise<{ readonly method?: LoginMethod } | undefined> {
  const { owner, server, account, login, signal } = request;
  const question = {
    type: "login",
    owner,
    server,
    reason: login.reason,
    ...login.details,
    ...(account !== undefined && { account }),
  } as const;
  const settlement = await inbox.ask(question, signal, owner === "workspace" ? STANDING_QUESTION_MS : undefined);
  if (settlement.by !== "answered") return undefined;
  const { answer } = settlement;
  if (answer.type !== "login" || answer.action !== "begin") return undefined;
  return answer.method === undefined ? {} : { method: answer.method };
}

/** Logs in. Each step that the user has to perform becomes a question, and its URL is opened in the browser. */
export function logInInteractively(
  request: InteractiveLogin,
  method: LoginMethod | undefined,
  ports: InteractiveLoginPorts,
): Promise<void> {
  const { login, server, account, owner, signal } = request;
  const { inbox, emit, openUrl } = ports;
  const promptStep = async (step: LoginStep, details: LoginDetails, done: AbortSignal): Promise<URL> => {
    const { reason } = login;
    const settled = inbox.ask(
      { type: "login", owner, server, reason, ...details, step, ...(account !== undefined && { account }) },
      signal ? AbortSignal.any([signal, done]) : done,
    );
    if (openUrl && step.type === "browser") void openLoginPage(openUrl, step.url, emit);
    return redirectUrlFrom(await settled, server, done);
  };
  return login.logIn({ method, signal, promptStep });
}

function redirectUrlFrom(settlement: Settlement, server: string, done: AbortSignal): Promise<URL> | URL {
  // The login has ended without this answer, so nobody waits for the URL.
  if (done.aborted) return new Promise(() => {});
  if (settlement.by === "answered" && settlement.answer.type === "login" && settlement.answer.action === "redirected") {
    return new URL(settlement.answer.url);
  }
  if (settlement.by === "withdrawn") throw cancelled();
  const reason = settlement.by === "deadline" ? "nobody logged in before the deadline" : "the login was cancelled";
  throw new HostError("LOGIN_FAILED", { server, reason });
}

async function openLoginPage(openUrl: OpenUrlPort, url: string, emit: InteractiveLoginPorts["emit"]): Promise<void> {
  try {
    await openUrl(url);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const error = new HostError("PORT_FAILED", { port: "openUrl", reason }, { cause: thrown });
    emit({ type: "port.failed", port: "openUrl", error: toHostError(error).toJSON() });
  }
}
