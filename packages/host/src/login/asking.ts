/**
 * Puts a login to whoever is there: first whether to begin, then the step to be
 * taken. The question belongs to whoever met the server that wants it, or to the
 * workspace if nobody did.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostFact, LoginStep, LoginWay, QuestionOwner, Settlement } from "@plugboard/contracts";
import type { Inbox } from "../inbox/inbox.ts";
import type { LoginAbout } from "./authorize.ts";
import type { Login } from "./login.ts";

export interface AskingPorts {
  readonly inbox: Inbox;
  readonly state: (fact: HostFact) => void;
  /** Opens the page where the person is. Who has none opens it by the question. */
  readonly openUrl?: OpenUrlPort | undefined;
}

/** Opens a page in the browser of the person that this program works for. */
export type OpenUrlPort = (url: string) => unknown;

export interface LoginFor {
  readonly login: Login;
  readonly server: string;
  readonly account?: string | undefined;
  readonly owner: QuestionOwner;
  readonly signal?: AbortSignal | undefined;
}

/** How long a question waits that nobody in particular has to answer: as long as timers go. */
const STANDING_MS = 20 * 24 * 3600 * 1000;

/** Whether to begin; nothing if not. */
export async function askToBegin(
  wanted: LoginFor,
  { inbox }: AskingPorts,
): Promise<{ readonly how?: LoginWay } | undefined> {
  const { owner, server, account, login, signal } = wanted;
  const about = {
    type: "login",
    owner,
    server,
    reason: login.reason,
    ...login.about,
    ...(account !== undefined && { account }),
  } as const;
  const settlement = await inbox.ask(about, signal, owner === "workspace" ? STANDING_MS : undefined);
  if (settlement.by !== "answered") return undefined;
  const { answer } = settlement;
  if (answer.type !== "login" || answer.action !== "begin") return undefined;
  return answer.how === undefined ? {} : { how: answer.how };
}

export function logInWith(wanted: LoginFor, how: LoginWay | undefined, ports: AskingPorts): Promise<void> {
  const { login, server, account, owner, signal } = wanted;
  const { inbox, state, openUrl } = ports;
  const step = async (next: LoginStep, about: LoginAbout, done: AbortSignal): Promise<URL> => {
    const { reason } = login;
    const settled = inbox.ask(
      { type: "login", owner, server, reason, ...about, step: next, ...(account !== undefined && { account }) },
      signal ? AbortSignal.any([signal, done]) : done,
    );
    if (openUrl && next.type === "browser") void open(openUrl, next.url, state);
    return endOf(await settled, server, done);
  };
  return login.logIn({ how, signal, step });
}

function endOf(settlement: Settlement, server: string, done: AbortSignal): Promise<URL> | URL {
  // The page has come back by itself: nobody waits for what they would say.
  if (done.aborted) return new Promise(() => {});
  if (settlement.by === "answered" && settlement.answer.type === "login" && settlement.answer.action === "redirected") {
    return new URL(settlement.answer.url);
  }
  if (settlement.by === "withdrawn") throw new HostError("CANCELLED", { reason: "the caller gave up" });
  const what = settlement.by === "deadline" ? "nobody has logged in within the time" : "it was broken off";
  throw new HostError("LOGIN_FAILED", { server, what });
}

async function open(openUrl: OpenUrlPort, url: string, state: AskingPorts["state"]): Promise<void> {
  try {
    await openUrl(url);
  } catch (thrown) {
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    const error = new HostError("PORT_FAILED", { port: "openUrl", what }, { cause: thrown });
    state({ type: "port.failed", port: "openUrl", error: toHostError(error).toJSON() });
  }
}
