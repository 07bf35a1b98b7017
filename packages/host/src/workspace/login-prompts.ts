/**
 * Asks the user for the logins that the servers of a workspace need. There are two kinds of questions. While a server
 * waits for a login, a standing question is open to everybody who may answer for the workspace. If the server refuses a
 * request for lack of a login, the caller of that request is asked. One login settles all of these questions.
 */
import { abortable, answersForWorkspace, toHostError } from "@plugboard/contracts";
import type { Caller, HostError, LoginMethod, LogoutReport } from "@plugboard/contracts";
import { confirmLogin, logInInteractively } from "../auth/oauth/interactive-login.ts";
import type { InteractiveLoginPorts } from "../auth/oauth/interactive-login.ts";
import { clientLoginError, ownLoginError } from "../auth/oauth/client-login.ts";
import { isFinalAuthError } from "../auth/oauth/login-requirement.ts";
import { OAuthLogin } from "../auth/oauth/oauth-login.ts";
import { loginUnneeded, loginUnsupported } from "../auth/credentials/login-unsupported.ts";
import { retryAfterLogin } from "../calls/retry-after-login.ts";
import type { AskForLogin, LoginContext } from "../calls/retry-after-login.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

export interface LoginPromptsOptions extends InteractiveLoginPorts {
  /** Returns whether a person answers questions for that caller. */
  readonly attended: (caller: Caller) => boolean;
  /** Aborted when the workspace is released. */
  readonly released: AbortSignal;
  /**
   * Set in the workspace of a principal of the gateway. Asks for the owner's login at a server through the owner's
   * workspace. Only the owner's workspace has standing questions.
   */
  readonly askOwner?: ((server: string) => AskForLogin) | undefined;
}

export interface LoginRequest {
  readonly caller: Caller;
  readonly method?: LoginMethod | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface StandingQuestion {
  readonly server: WorkspaceServer;
  readonly loggedIn: Promise<boolean>;
  withdraw(): void;
}

export class LoginPrompts {
  readonly #options: LoginPromptsOptions;
  readonly #standingQuestions = new Map<string, StandingQuestion>();
  /** Servers that already had a standing question. If it is dismissed, it is not asked again while the server waits. */
  readonly #prompted = new WeakSet<WorkspaceServer>();
  /** Servers where the user has logged out. They get no standing question. */
  readonly #loggedOut = new WeakSet<WorkspaceServer>();
  #started = false;

  constructor(options: LoginPromptsOptions) {
    this.#options = options;
  }

  /** From now on, asks a standing question for every server that waits for a login. */
  start(servers: Iterable<WorkspaceServer>): void {
    this.#started = this.#options.askOwner === undefined;
    for (const server of servers) this.onServerChange(server);
  }

  /** Asks the standing question when the server begins to wait for a login. Withdraws it when that wait ends. */
  onServerChange(server: WorkspaceServer): void {
    const phase = server.connection?.state.phase;
    // The result of this attempt will show whether a login is needed.
    if (phase === "connecting") return;
    if (phase === "ready") this.#loggedOut.delete(server);
    if (server.waitsForLogin) this.#askOnce(server);
    else this.#withdraw(server);
  }

  /**
   * Asks the caller of a request that the server refused with `error`. Resolves to whether there is a login now.
   * Rejects with `clientLoginError` if the principal of the gateway has to log in itself, in its own client.
   */
  async askCaller(server: WorkspaceServer, error: HostError, context: LoginContext): Promise<boolean> {
    const { attended, released, askOwner } = this.#options;
    const { caller, signal } = context;
    if (askOwner && !server.ownLogin) return askOwner(server.id)(error, context);
    const login = server.credentials;
    // A login that was refused several times in a row is not asked for again.
    if (!(login instanceof OAuthLogin) || isFinalAuthError(error) || login.isExhausted) return false;
    if (!login.status()) await ensureAuthRequired(server);
    if (server.ownLogin) return beginInClient(server.id, login);
    const standing = this.#standingQuestions.get(server.id);
    // A client of the gateway can't answer login questions, but a user who watches the inbox can.
    if (caller.kind === "front") {
      return standing ? this.#options.inbox.watchers.waitForAnswer(() => standing.loggedIn, signal) : false;
    }
    if (!attended(caller)) return false;
    if (standing && answersForWorkspace(caller.kind)) return abortable(standing.loggedIn, signal);
    if (login.inProgress && (await joinLogin(login.inProgress, signal))) return true;
    const cancelled = signal ? AbortSignal.any([released, signal]) : released;
    const loggedInElsewhere = new AbortController();
    const unsubscribe = login.onChanged(() => loggedInElsewhere.abort());
    try {
      const request = { login, server: server.id, account: server.account, owner: caller };
      const questionEnded = AbortSignal.any([loggedInElsewhere.signal, cancelled]);
      const confirmed = await confirmLogin({ ...request, signal: questionEnded }, this.#options);
      if (loggedInElsewhere.signal.aborted) return true;
      if (!confirmed) return false;
      await this.#logIn({ ...request, signal: cancelled }, confirmed.method);
      return true;
    } finally {
      unsubscribe();
    }
  }

  /**
   * Logs in the principal of the gateway that has called the tool `log_in`. Rejects with `clientLoginError` if the user
   * has to perform a step first.
   */
  async logInFromClient(
    server: WorkspaceServer,
    redirectUrl: string | undefined,
    context: LoginContext,
  ): Promise<void> {
    const { signal } = context;
    const connection = await server.lease();
    const login = server.credentials;
    if (redirectUrl !== undefined && login instanceof OAuthLogin) await pasteInClient(server.id, login, redirectUrl);
    await retryAfterLogin(
      (error) => this.askCaller(server, error, context),
      context,
      () => connection.retry(signal),
    );
  }

  /** Logs in without asking for confirmation, because the caller has asked for the login. */
  async logIn(server: WorkspaceServer, { caller, method, signal }: LoginRequest): Promise<void> {
    const { released } = this.#options;
    const connection = await server.lease();
    const login = server.credentials;
    if (!(login instanceof OAuthLogin)) throw loginUnsupported(server.id, server.definition);
    // The server says which login it needs in its answer to the first request.
    if (connection.state.phase !== "auth_required") await connection.ready(signal).catch(() => {});
    const cancelled = signal ? AbortSignal.any([signal, released]) : released;
    const request = { login, server: server.id, account: server.account, owner: caller, signal: cancelled };
    // A server may accept requests without a login and still offer one, so the login is tried.
    const isOpen = connection.state.phase === "ready" && login.status() === undefined;
    await this.#logIn(request, method, { isOpen });
  }

  async logOut(server: WorkspaceServer): Promise<LogoutReport> {
    const connection = await server.lease();
    const login = server.credentials;
    if (!(login instanceof OAuthLogin)) throw loginUnsupported(server.id, server.definition);
    const report = await login.logOut();
    if (!report.forgotten) return report;
    this.#loggedOut.add(server);
    // Ends the session that was opened with this login.
    if (connection.session) connection.reconnect().catch(() => {});
    return report;
  }

  /** `isOpen`: the server has accepted requests without a login. */
  async #logIn(
    request: Parameters<typeof logInInteractively>[0],
    method: LoginMethod | undefined,
    options: { readonly isOpen: boolean } = { isOpen: false },
  ): Promise<void> {
    const { login, signal } = request;
    const startedByOther = login.inProgress !== undefined;
    try {
      await abortable(logInInteractively(request, method, this.#options), signal);
    } catch (thrown) {
      const error = toHostError(thrown);
      // Another caller started the login and cancelled it. This caller still wants to log in.
      if (startedByOther && error.code === "CANCELLED" && !signal?.aborted)
        return this.#logIn(request, method, options);
      if (options.isOpen && error.code === "LOGIN_NOT_OFFERED") throw loginUnneeded(request.server);
      this.#options.emit({ type: "login.failed", server: request.server, error: error.toJSON() });
      throw error;
    }
  }

  #withdraw(server: WorkspaceServer): void {
    this.#prompted.delete(server);
    const standing = this.#standingQuestions.get(server.id);
    if (standing?.server === server) standing.withdraw();
  }

  #askOnce(server: WorkspaceServer): void {
    if (!this.#started || this.#options.released.aborted) return;
    if (this.#prompted.has(server) || this.#loggedOut.has(server)) return;
    this.#prompted.add(server);
    this.#askWorkspace(server);
  }

  #askWorkspace(server: WorkspaceServer): void {
    const { released } = this.#options;
    const login = server.credentials;
    if (!(login instanceof OAuthLogin)) return;
    const withdrawn = new AbortController();
    const signal = AbortSignal.any([withdrawn.signal, released]);
    const request = { login, server: server.id, account: server.account, owner: "workspace", signal } as const;
    const ask = async (): Promise<boolean> => {
      const confirmed = await confirmLogin(request, this.#options);
      if (!confirmed) return false;
      await this.#logIn({ ...request, signal: released }, confirmed.method);
      return true;
    };
    // A failed login has already been emitted as an event.
    const loggedIn = ask().catch(() => false);
    const standing: StandingQuestion = { server, loggedIn, withdraw: () => withdrawn.abort() };
    this.#standingQuestions.set(server.id, standing);
    void loggedIn.then(() => {
      if (this.#standingQuestions.get(server.id) === standing) this.#standingQuestions.delete(server.id);
    });
  }
}

/** Resolves to true if the principal is logged in by now. Otherwise rejects with `clientLoginError`. */
async function beginInClient(server: string, login: OAuthLogin): Promise<true> {
  const begun = await login.beginForClient().catch((thrown: unknown) => {
    throw ownLoginError(server, thrown);
  });
  if (begun) throw clientLoginError(begun);
  return true;
}

async function pasteInClient(server: string, login: OAuthLogin, redirectUrl: string): Promise<void> {
  try {
    await (await login.beginForClient())?.paste(redirectUrl);
  } catch (thrown) {
    throw ownLoginError(server, thrown);
  }
}

/** Reconnects a session whose login no longer exists. The connection then reports that it needs a login. */
async function ensureAuthRequired({ connection }: WorkspaceServer): Promise<void> {
  const phase = connection?.state.phase;
  if (phase === "ready") await connection?.reconnect().catch(() => {});
  if (phase === "connecting") await connection?.ready().catch(() => {});
}

/** Waits for a login that another caller has started. Resolves to false if the other caller cancels it. */
async function joinLogin(inProgress: Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await abortable(inProgress, signal);
    return true;
  } catch (thrown) {
    if (toHostError(thrown).code !== "CANCELLED" || signal?.aborted) throw thrown;
    return false;
  }
}
