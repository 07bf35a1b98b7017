/**
 * Puts a login to whoever is there: first whether to begin, then the step to be
 * taken. The question belongs to whoever met the server that wants it, or to the
 * workspace if nobody did.
 */
import { cancelled, HostError, toHostError } from "@plugboard/contracts";
import type { HostEventData, LoginStep, LoginMethod, QuestionOwner, Settlement } from "@plugboard/contracts";
import type { QuestionInbox } from "../../inbox/question-inbox.ts";
import type { LoginDetails } from "./obtain-tokens.ts";
import type { OAuthLogin } from "./oauth-login.ts";

export interface InteractiveLoginPorts {
  readonly inbox: QuestionInbox;
  readonly emit: (event: HostEventData) => void;
  /** Opens the page where the person is. Who has none opens it by the question. */
  readonly openUrl?: OpenUrlPort | undefined;
}

/** Opens a page in the browser of the person that this program works for. */
export type OpenUrlPort = (url: string) => unknown;

export interface InteractiveLogin {
  readonly login: OAuthLogin;
  readonly server: string;
  readonly account?: string | undefined;
  readonly owner: QuestionOwner;
  readonly signal?: AbortSignal | undefined;
}

/** How long a question waits that nobody in particular has to answer: as long as timers go. */
const STANDING_QUESTION_MS = 20 * 24 * 3600 * 1000;

/** Whether to begin; nothing if not. */
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

export function logInInteractively(
  request: InteractiveLogin,
  method: LoginMethod | undefined,
  ports: InteractiveLoginPorts,
): Promise<void> {
  const { login, server, account, owner, signal } = request;
  const { inbox, emit, openUrl } = ports;
  const promptStep = async (next: LoginStep, about: LoginDetails, done: AbortSignal): Promise<URL> => {
    const { reason } = login;
    const settled = inbox.ask(
      { type: "login", owner, server, reason, ...about, step: next, ...(account !== undefined && { account }) },
      signal ? AbortSignal.any([signal, done]) : done,
    );
    if (openUrl && next.type === "browser") void openLoginPage(openUrl, next.url, emit);
    return redirectUrlFrom(await settled, server, done);
  };
  return login.logIn({ method, signal, promptStep });
}

function redirectUrlFrom(settlement: Settlement, server: string, done: AbortSignal): Promise<URL> | URL {
  // The page has come back by itself: nobody waits for what they would say.
  if (done.aborted) return new Promise(() => {});
  if (settlement.by === "answered" && settlement.answer.type === "login" && settlement.answer.action === "redirected") {
    return new URL(settlement.answer.url);
  }
  if (settlement.by === "withdrawn") throw cancelled();
  const reason = settlement.by === "deadline" ? "nobody has logged in within the time" : "it was broken off";
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
