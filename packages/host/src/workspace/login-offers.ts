/**
 * Servers of a workspace that want a login, and whoever may be asked for it. One
 * that waits for it is a standing question to the workspace; a call that meets it
 * asks its own caller. Whichever way somebody logs in, all of them are settled.
 */
import { toHostError } from "@plugboard/contracts";
import type { Caller, HostError, LoginWay, LogoutReport } from "@plugboard/contracts";
import { askToBegin, logInWith } from "../login/asking.ts";
import type { AskingPorts } from "../login/asking.ts";
import { isFinal, Login } from "../login/login.ts";
import { noLoginAt } from "../login/no-login.ts";
import { unlessGivenUp } from "../unless-given-up.ts";
import type { WorkspaceServer } from "./server.ts";

export interface LoginOffersOptions extends AskingPorts {
  /** Whether somebody is there to answer for that caller. */
  readonly attended: (caller: Caller) => boolean;
  /** Fires when the workspace is let go. */
  readonly released: AbortSignal;
}

export interface LoginBy {
  readonly caller: Caller;
  readonly how?: LoginWay | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Standing {
  readonly server: WorkspaceServer;
  readonly ended: Promise<boolean>;
  withdraw(): void;
}

export class LoginOffers {
  readonly #options: LoginOffersOptions;
  readonly #standing = new Map<string, Standing>();
  /** Servers that were told of as waiting, so that one that is dismissed is not asked for again at once. */
  readonly #told = new WeakSet<WorkspaceServer>();
  /** Who has just logged out is not asked to log in. */
  readonly #loggedOut = new WeakSet<WorkspaceServer>();
  #open = false;

  constructor(options: LoginOffersOptions) {
    this.#options = options;
  }

  /** From now on servers that wait for a login are questions. */
  open(servers: Iterable<WorkspaceServer>): void {
    this.#open = true;
    for (const server of servers) this.heed(server);
  }

  /** The server may want a login now, or no longer. */
  heed(server: WorkspaceServer): void {
    const { state } = server.connection ?? {};
    if (state?.phase === "connecting") return;
    if (state?.phase === "ready") this.#loggedOut.delete(server);
    const waits = state?.phase === "auth_required" && state.error.code === "AUTH_REQUIRED" && !isFinal(state.error);
    if (!waits) {
      this.#told.delete(server);
      const standing = this.#standing.get(server.id);
      if (standing?.server === server) standing.withdraw();
      return;
    }
    if (!this.#open || this.#told.has(server) || this.#loggedOut.has(server) || this.#options.released.aborted) return;
    this.#told.add(server);
    this.#offer(server);
  }

  /** True if there is a login now. */
  async met(server: WorkspaceServer, error: HostError, { caller, signal }: Omit<LoginBy, "how">): Promise<boolean> {
    const { attended, released } = this.#options;
    const login = server.access;
    // What was renewed and is refused again comes here without having been told.
    if (!(login instanceof Login) || isFinal(error) || login.isInVain) return false;
    if (!login.status()) await untilSeenToWait(server);
    if (caller.kind === "front" || !attended(caller)) return false;
    const standing = this.#standing.get(server.id);
    if (standing && mayAnswerForAll(caller)) return unlessGivenUp(standing.ended, signal);
    if (login.underway && (await joined(login.underway, signal))) return true;
    const changed = new AbortController();
    const leave = login.onChanged(() => changed.abort());
    const ended = [changed.signal, released, ...(signal ? [signal] : [])];
    try {
      const wanted = { login, server: server.id, account: server.account, owner: caller };
      const begun = await askToBegin({ ...wanted, signal: AbortSignal.any(ended) }, this.#options);
      // Somebody else was quicker.
      if (changed.signal.aborted) return true;
      if (!begun) return false;
      await this.#logIn({ ...wanted, signal: AbortSignal.any(ended.slice(1)) }, begun.how);
      return true;
    } finally {
      leave();
    }
  }

  /** Whoever says so is asked for nothing but the login itself. */
  async logIn(server: WorkspaceServer, { caller, how, signal }: LoginBy): Promise<void> {
    const { released } = this.#options;
    const connection = await server.lease();
    const login = server.access;
    if (!(login instanceof Login)) throw noLoginAt(server.id, server.definition);
    // What it wants, it says when it is spoken to.
    if (connection.state.phase !== "auth_required") await connection.ready(signal).catch(() => {});
    const ended = signal ? AbortSignal.any([signal, released]) : released;
    await this.#logIn({ login, server: server.id, account: server.account, owner: caller, signal: ended }, how);
  }

  async logOut(server: WorkspaceServer): Promise<LogoutReport> {
    const connection = await server.lease();
    const login = server.access;
    if (!(login instanceof Login)) throw noLoginAt(server.id, server.definition);
    const report = await login.logOut();
    // What was opened with it is over.
    if (report.forgotten) this.#loggedOut.add(server);
    if (report.forgotten && connection.session) connection.reconnect().catch(() => {});
    return report;
  }

  async #logIn(wanted: Parameters<typeof logInWith>[0], how: LoginWay | undefined): Promise<void> {
    const { login, signal } = wanted;
    const isOthers = login.underway !== undefined;
    try {
      await unlessGivenUp(logInWith(wanted, how, this.#options), signal);
    } catch (thrown) {
      const error = toHostError(thrown);
      // Whoever began it has given up; this one has not.
      if (isOthers && error.code === "CANCELLED" && !signal?.aborted) return this.#logIn(wanted, how);
      this.#options.state({ type: "login.failed", server: wanted.server, error: error.toJSON() });
      throw error;
    }
  }

  #offer(server: WorkspaceServer): void {
    const { released } = this.#options;
    const login = server.access;
    if (!(login instanceof Login)) return;
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, released]);
    const wanted = { login, server: server.id, account: server.account, owner: "workspace", signal } as const;
    const ask = async (): Promise<boolean> => {
      const begun = await askToBegin(wanted, this.#options);
      if (!begun) return false;
      await this.#logIn({ ...wanted, signal: released }, begun.how);
      return true;
    };
    // That it failed was stated.
    const ended = ask().catch(() => false);
    const standing: Standing = { server, ended, withdraw: () => gone.abort() };
    this.#standing.set(server.id, standing);
    void ended.then(() => {
      if (this.#standing.get(server.id) === standing) this.#standing.delete(server.id);
    });
  }
}

/** Those who are shown the workspace's own questions. */
function mayAnswerForAll({ kind }: Caller): boolean {
  return kind === "program" || kind === "page";
}

/** What was opened with a login that is no more is over; that it wants another is found out once for all. */
async function untilSeenToWait({ connection }: WorkspaceServer): Promise<void> {
  const phase = connection?.state.phase;
  if (phase === "ready") await connection?.reconnect().catch(() => {});
  if (phase === "connecting") await connection?.ready().catch(() => {});
}

/** False if whoever began it has given up. */
async function joined(underway: Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await unlessGivenUp(underway, signal);
    return true;
  } catch (thrown) {
    if (toHostError(thrown).code !== "CANCELLED" || signal?.aborted) throw thrown;
    return false;
  }
}
