/**
 * Asks for the logins that the servers of a workspace need. A server that waits for a login is a standing question to
 * the workspace. A request that needs a login asks its own caller. One login settles all of these questions.
 */
import { abortable, toHostError } from "@plugboard/contracts";
import type { Caller, HostError, LoginMethod, LogoutReport } from "@plugboard/contracts";
import { confirmLogin, logInInteractively } from "../auth/oauth/interactive-login.ts";
import type { InteractiveLoginPorts } from "../auth/oauth/interactive-login.ts";
import { isFinalAuthError } from "../auth/oauth/login-requirement.ts";
import { OAuthLogin } from "../auth/oauth/oauth-login.ts";
import { loginUnsupported } from "../auth/credentials/login-unsupported.ts";
import type { LoginContext } from "../calls/retry-after-login.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

export interface LoginPromptsOptions extends InteractiveLoginPorts {
  /** Returns whether a person answers questions for that caller. */
  readonly attended: (caller: Caller) => boolean;
  /** Aborted when the workspace is released. */
  readonly released: AbortSignal;
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
  /** Servers whose login was asked for already. A dismissed question is not repeated while the server still waits. */
  readonly #prompted = new WeakSet<WorkspaceServer>();
  /** Servers where the user has logged out. Their login is not asked for. */
  readonly #loggedOut = new WeakSet<WorkspaceServer>();
  #started = false;

  constructor(options: LoginPromptsOptions) {
    this.#options = options;
  }

  /** Asks the workspace for every login that a server waits for, now and later. */
  start(servers: Iterable<WorkspaceServer>): void {
    this.#started = true;
    for (const server of servers) this.onServerChange(server);
  }

  /** Asks for the login of a server that has started to wait for one. Withdraws the question when it no longer waits. */
  onServerChange(server: WorkspaceServer): void {
    const { state } = server.connection ?? {};
    if (state?.phase === "connecting") return;
    if (state?.phase === "ready") this.#loggedOut.delete(server);
    const needsLogin =
      state?.phase === "auth_required" && state.error.code === "AUTH_REQUIRED" && !isFinalAuthError(state.error);
    if (!needsLogin) {
      this.#prompted.delete(server);
      const standing = this.#standingQuestions.get(server.id);
      if (standing?.server === server) standing.withdraw();
      return;
    }
    if (!this.#started || this.#prompted.has(server) || this.#loggedOut.has(server) || this.#options.released.aborted)
      return;
    this.#prompted.add(server);
    this.#askWorkspace(server);
  }

  /** Asks the caller of a request that the server refused. Resolves to whether there is a login now. */
  async askCaller(server: WorkspaceServer, error: HostError, { caller, signal }: LoginContext): Promise<boolean> {
    const { attended, released } = this.#options;
    const login = server.credentials;
    // A login that was refused several times in a row is not asked for again.
    if (!(login instanceof OAuthLogin) || isFinalAuthError(error) || login.isExhausted) return false;
    if (!login.status()) await waitForAuthRequired(server);
    if (caller.kind === "front" || !attended(caller)) return false;
    const standing = this.#standingQuestions.get(server.id);
    if (standing && mayAnswerForWorkspace(caller)) return abortable(standing.loggedIn, signal);
    if (login.inProgress && (await joinLogin(login.inProgress, signal))) return true;
    const changed = new AbortController();
    const unsubscribe = login.onChanged(() => changed.abort());
    const signals = [changed.signal, released, ...(signal ? [signal] : [])];
    try {
      const request = { login, server: server.id, account: server.account, owner: caller };
      const confirmed = await confirmLogin({ ...request, signal: AbortSignal.any(signals) }, this.#options);
      // Another caller logged in first.
      if (changed.signal.aborted) return true;
      if (!confirmed) return false;
      await this.#logIn({ ...request, signal: AbortSignal.any(signals.slice(1)) }, confirmed.method);
      return true;
    } finally {
      unsubscribe();
    }
  }

  /** Logs in without asking for confirmation first: the caller has asked for the login. */
  async logIn(server: WorkspaceServer, { caller, method, signal }: LoginRequest): Promise<void> {
    const { released } = this.#options;
    const connection = await server.lease();
    const login = server.credentials;
    if (!(login instanceof OAuthLogin)) throw loginUnsupported(server.id, server.definition);
    // The server says which login it needs in its answer to the first request.
    if (connection.state.phase !== "auth_required") await connection.ready(signal).catch(() => {});
    const ended = signal ? AbortSignal.any([signal, released]) : released;
    await this.#logIn({ login, server: server.id, account: server.account, owner: caller, signal: ended }, method);
  }

  async logOut(server: WorkspaceServer): Promise<LogoutReport> {
    const connection = await server.lease();
    const login = server.credentials;
    if (!(login instanceof OAuthLogin)) throw loginUnsupported(server.id, server.definition);
    const report = await login.logOut();
    // A session that was opened with this login must end.
    if (report.forgotten) this.#loggedOut.add(server);
    if (report.forgotten && connection.session) connection.reconnect().catch(() => {});
    return report;
  }

  async #logIn(request: Parameters<typeof logInInteractively>[0], method: LoginMethod | undefined): Promise<void> {
    const { login, signal } = request;
    const startedByOther = login.inProgress !== undefined;
    try {
      await abortable(logInInteractively(request, method, this.#options), signal);
    } catch (thrown) {
      const error = toHostError(thrown);
      // The caller that started the login has cancelled it, but this caller has not.
      if (startedByOther && error.code === "CANCELLED" && !signal?.aborted) return this.#logIn(request, method);
      this.#options.emit({ type: "login.failed", server: request.server, error: error.toJSON() });
      throw error;
    }
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

/** Returns whether the caller sees the questions of the workspace. */
function mayAnswerForWorkspace({ kind }: Caller): boolean {
  return kind === "program" || kind === "page";
}

/** Reconnects a session whose login no longer exists, so that the connection reports that it needs a login. */
async function waitForAuthRequired({ connection }: WorkspaceServer): Promise<void> {
  const phase = connection?.state.phase;
  if (phase === "ready") await connection?.reconnect().catch(() => {});
  if (phase === "connecting") await connection?.ready().catch(() => {});
}

/** Waits for a login that another caller has started. Resolves to false if that caller cancels it. */
async function joinLogin(inProgress: Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await abortable(inProgress, signal);
    return true;
  } catch (thrown) {
    if (toHostError(thrown).code !== "CANCELLED" || signal?.aborted) throw thrown;
    return false;
  }
}
