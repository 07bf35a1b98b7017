/** One server of a workspace: its definition, its lease on a connection, and its status. */
import { accountOf, HostError, principalIdOf, toHostError } from "@plugboard/contracts";
import type { Env, HostEventData, ServerDetail, ServerStatus } from "@plugboard/contracts";
import type { CatalogPart, Connection, InProcessTarget } from "@plugboard/mcp";
import type { ConfiguredServer, ServerDefinition, ResolvedServer, ResolvePorts } from "@plugboard/config";
import {
  definitionHash,
  envReferencesIn,
  expandableTexts,
  requireValidDefinition,
  resolveRoots,
  resolveServer,
  resolveWithoutSecrets,
  secretReferencesOf,
  selectVariables,
} from "@plugboard/config";
import { canonicalDigest } from "@plugboard/store";
import type { ClientContext } from "../calls/ask-user.ts";
import type { CredentialSource } from "../auth/credentials/credential-source.ts";
import type { LoginManager } from "../auth/login-manager.ts";
import { isFinalAuthError } from "../auth/oauth/login-requirement.ts";
import { ownLogin } from "../auth/own-login.ts";
import type { PrincipalLogins } from "../auth/own-login.ts";
import type { LoginPrincipal } from "../auth/vault/login-record.ts";
import type { ConnectionKey, ConnectionPool, Lease, ReleaseOptions } from "../pool/connection-pool.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";
import { connectionStatus, describeServerStatus, describeServerDetail, NO_SORTED_TOOLS } from "./describe-server.ts";
import type { DescribedServer, SortedTools } from "./describe-server.ts";
import type { PendingSecrets, SecretsState } from "./pending-secrets.ts";

type Resolved = ResolvedServer<InProcessTarget>;

/** The parts of the host that every server of a workspace uses. */
export interface ServerPorts {
  readonly pool: ConnectionPool;
  readonly env: Env;
  readonly resolve: ResolvePorts<InProcessTarget>;
  readonly capabilities: ClientCapabilities;
  readonly logins: LoginManager;
  readonly emit: (event: HostEventData) => void;
  readonly pendingSecrets: PendingSecrets;
  /** Set in the workspace of a principal of the gateway that logs in itself. */
  readonly principal?: PrincipalLogins | undefined;
}

export interface WorkspaceServerOptions {
  readonly configured: ConfiguredServer;
  readonly ports: ServerPorts;
  /** Called when the server's tools or state may have changed, before an event is emitted. */
  readonly onServerChange: (server: WorkspaceServer, part?: "state" | CatalogPart) => void;
  readonly sortTools: (server: WorkspaceServer, connection: Connection) => SortedTools;
}

export class WorkspaceServer {
  readonly id: string;
  readonly #ports: ServerPorts;
  readonly #onServerChange: WorkspaceServerOptions["onServerChange"];
  readonly #sortTools: WorkspaceServerOptions["sortTools"];
  #configured: ConfiguredServer;
  #lease: Lease | undefined;
  #credentials: CredentialSource | undefined;
  #leasing: Promise<Connection> | undefined;
  #cancelLease: (() => void) | undefined;
  /** The server that this one replaces, until it has stopped. */
  #predecessor: { readonly stopped: Promise<void>; stopNow(): void } | undefined;
  #hash: string | undefined;
  #hidden = false;
  #disconnected = false;
  /** The reason why the definition could not be resolved at the last attempt. */
  #resolveError: HostError | undefined;
  /** The key under which `pendingSecrets` has a state of this server. */
  #pendingKey: string | undefined;

  constructor({ configured, ports, onServerChange, sortTools }: WorkspaceServerOptions) {
    this.#ports = ports;
    this.#onServerChange = onServerChange;
    this.#sortTools = sortTools;
    this.#configured = configured;
    this.id = configured.id;
  }

  get configured(): ConfiguredServer {
    return this.#configured;
  }

  get connection(): Connection | undefined {
    return this.#lease?.connection;
  }

  /** Throws SERVER_INVALID for an invalid definition. */
  get definition(): ServerDefinition {
    return requireValidDefinition(this.configured);
  }

  /** The account whose login is used, if the definition names one. */
  get account(): string | undefined {
    const { definition } = this.configured;
    return "account" in definition ? definition.account : undefined;
  }

  /** The principal that logs in itself at this server. Undefined if requests use the owner's login or no login. */
  get ownLogin(): LoginPrincipal | undefined {
    const { principal } = this.#ports;
    return principal && ownLogin(this.configured, principal);
  }

  /** Whether the server waits for a login. False if another login would not help. */
  get waitsForLogin(): boolean {
    const state = this.connection?.state;
    return state?.phase === "auth_required" && state.error.code === "AUTH_REQUIRED" && !isFinalAuthError(state.error);
  }

  /** The source of the credentials for requests. Undefined for a server without logins, and before the first lease. */
  get credentials(): CredentialSource | undefined {
    return this.#credentials;
  }

  get enabled(): boolean {
    const { definition } = this.configured;
    return !("invalid" in definition) && definition.enabled;
  }

  get definitionHash(): string {
    return (this.#hash ??= definitionHash(this.configured));
  }

  /** Whether the server was switched off at run time. It stays connected, but its tools are not offered. */
  get hidden(): boolean {
    return this.#hidden;
  }

  /** Whether the server was disconnected and has not leased a connection since. */
  get disconnected(): boolean {
    return this.#disconnected;
  }

  /**
   * Returns the connection, which opens with its first request. Returns a promise if a secret must be fetched, or if
   * the replaced server must stop first. Throws if the definition is invalid, disabled or can't be resolved.
   */
  lease(): Connection | Promise<Connection> {
    if (this.#lease) return this.#lease.connection;
    if (this.#leasing) return this.#leasing;
    if (!this.definition.enabled) throw new HostError("SERVER_DISABLED", { server: this.id });
    this.#disconnected = false;
    const resolved = this.#predecessor ? this.#predecessor.stopped.then(() => this.#resolve()) : this.#resolve();
    if (!(resolved instanceof Promise)) return this.#acquireLease(resolved);
    this.#leasing = this.#leaseWhenResolved(resolved);
    this.#setPendingSecrets({ state: "fetching" });
    this.#notifyChange("state");
    return this.#leasing;
  }

  /** Returns the connection for the calls of a client. With `share: "caller"`, the client gets its own connection. */
  leaseFor(context: ClientContext): Connection | Promise<Connection> {
    const leased = this.lease();
    return this.definition.share === "caller" ? this.#leaseForClient(context, leased) : leased;
  }

  async release(options?: ReleaseOptions): Promise<void> {
    this.#cancelLease?.();
    this.#disconnected = true;
    const lease = this.#lease;
    this.#lease = undefined;
    this.#setPendingSecrets(undefined);
    this.#onServerChange(this);
    this.#predecessor?.stopNow();
    await Promise.all([lease?.release(options), this.#predecessor?.stopped]);
  }

  /** Replaces the definition. The new definition must be able to use the same connection. */
  updateDefinition(configured: ConfiguredServer): void {
    this.#configured = configured;
    this.#hash = undefined;
    this.#lease?.updateSettings(this.definition);
    this.#onServerChange(this);
  }

  /**
   * Takes over the run-time settings of the old server, and releases it. The running calls of the old server
   * may end, unless this server is disabled. The new process starts after the old process has stopped,
   * because both may need the same port or lock.
   */
  async replace(old: WorkspaceServer): Promise<void> {
    this.#hidden = old.hidden;
    this.#onServerChange(this);
    const hurry = new AbortController();
    if (!this.enabled) hurry.abort();
    const stopped = old.release({ drain: hurry.signal });
    this.#predecessor = { stopped, stopNow: () => hurry.abort() };
    await stopped;
    this.#predecessor = undefined;
  }

  /** Tells the server that the roots of the workspace have changed. */
  rootsChanged(): void {
    if (this.#ports.capabilities.usesWorkspaceRoots(this.configured)) this.connection?.notifyRootsChanged();
  }

  /** Hides or shows the server. */
  toggle(enabled: boolean): void {
    const hidden = !enabled;
    if (hidden === this.#hidden) return;
    this.#hidden = hidden;
    this.#notifyChange("tools");
  }

  /** Returns the status without starting anything. */
  status(): ServerStatus {
    const connection = this.connection ?? (this.enabled ? this.#sharedConnection() : undefined);
    return describeServerStatus(this.#toDescribedServer(connection));
  }

  detail(): ServerDetail {
    return describeServerDetail(this.#toDescribedServer(this.connection ?? this.#sharedConnection()));
  }

  /**
   * Returns the client's own connection. Waits until the tools are listed on the shared connection, because calls of
   * the client refer to that list.
   */
  async #leaseForClient(
    { caller, client = caller.id, listRoots, keepsRoots }: ClientContext,
    leased: Connection | Promise<Connection>,
  ): Promise<Connection> {
    const connection = await leased;
    if (!connection.toolsKnown) await connection.ready();
    const roots = listRoots && (await this.#ports.capabilities.clientRoots(this.configured, listRoots));
    const owner = { principal: accountOf(caller), countsFor: principalIdOf(caller) };
    return this.#lease?.forClient({ id: client, keepsRoots, ...owner }, roots) ?? connection;
  }

  #toDescribedServer(connection: Connection | undefined): DescribedServer {
    const elsewhere = connection || !this.enabled ? undefined : this.#pendingElsewhere();
    return {
      configured: this.configured,
      hidden: this.#hidden,
      connection,
      tools: connection ? this.#sortTools(this, connection) : NO_SORTED_TOOLS,
      leasing: this.#leasing !== undefined || elsewhere?.state === "fetching",
      resolveError: this.#resolveError ?? (elsewhere?.state === "failed" ? elsewhere.error : undefined),
      login: this.#credentials?.status(),
    };
  }

  /** Returns the connection that another workspace has open for an equal definition. */
  #sharedConnection(): Connection | undefined {
    const { pool, env, resolve, capabilities } = this.#ports;
    try {
      const resolved = resolveWithoutSecrets(this.configured, env, resolve);
      if (!resolved) {
        const key = this.#sharedKey();
        const shared = key === undefined ? undefined : pool.peekWithoutSecrets(key);
        this.#credentials = shared?.credentialSource ?? this.#credentials;
        return shared?.connection;
      }
      this.#credentials = this.#credentialsFor(resolved);
      const { capabilitiesKey } = capabilities.forServer(this.configured, resolved.roots);
      return pool.peek({ ...this.#connectionKey(resolved, this.#credentials), capabilitiesKey });
    } catch {
      // The definition can't be resolved. The next `lease` throws the reason.
      return undefined;
    }
  }

  /**
   * Returns the state of an equal definition in another workspace, if its
   * secrets are being fetched or can't be fetched.
   */
  #pendingElsewhere(): SecretsState | undefined {
    const key = this.#sharedKey();
    return key === undefined ? undefined : this.#ports.pendingSecrets.get(key);
  }

  /**
   * Returns a key for a definition with secrets, its variables, roots and login. The values of the secrets are not part
   * of it. Returns undefined for a definition without secrets, because every workspace can resolve it. Also returns
   * undefined if the roots can't be resolved.
   */
  #sharedKey(): string | undefined {
    const { definition } = this;
    if (secretReferencesOf(definition).length === 0) return undefined;
    const { env, capabilities } = this.#ports;
    const variables = expandableTexts(definition).flatMap(envReferencesIn);
    const values = selectVariables(
      env,
      variables.map(({ name }) => name),
    );
    const roots = tryResolveRoots(this.configured, env);
    if (roots === "unresolved") return undefined;
    const { capabilitiesKey } = capabilities.forServer(this.configured, roots);
    const login = this.ownLogin?.id ?? null;
    return canonicalDigest({ definition: this.definitionHash, values, capabilities: capabilitiesKey, login });
  }

  #setPendingSecrets(state: SecretsState | undefined): void {
    const { pendingSecrets } = this.#ports;
    if (this.#pendingKey !== undefined) pendingSecrets.set(this.#pendingKey, this, undefined);
    this.#pendingKey = state && this.#sharedKey();
    if (this.#pendingKey !== undefined) pendingSecrets.set(this.#pendingKey, this, state);
  }

  /** Waits for the secrets of the definition. `release` ends the wait, which could otherwise take forever. */
  #leaseWhenResolved(resolved: Promise<Resolved>): Promise<Connection> {
    return new Promise((resolve, reject) => {
      // Only the first of three events counts: the secrets arrive, they can't be fetched, or `release` is called.
      const settleOnce = (settle: () => void) => {
        if (this.#cancelLease !== cancel) return;
        this.#cancelLease = this.#leasing = undefined;
        settle();
      };
      const cancel = () => settleOnce(() => reject(new HostError("CONNECTION_CLOSED", { server: this.id })));
      this.#cancelLease = cancel;
      resolved
        .then(
          (server) => settleOnce(() => resolve(this.#acquireLease(server))),
          (error: unknown) => settleOnce(() => reject(this.#recordFailure(error))),
        )
        // Reached if the lease itself throws.
        .catch(reject);
    });
  }

  #acquireLease(resolved: Resolved): Connection {
    const { pool, capabilities } = this.#ports;
    const credentials = (this.#credentials = this.#credentialsFor(resolved));
    this.#resolveError = undefined;
    this.#setPendingSecrets(undefined);
    const ownLogin = this.ownLogin !== undefined;
    this.#lease ??= pool.lease({
      server: this.id,
      settings: this.definition,
      ...this.#connectionKey(resolved, credentials),
      ...(!ownLogin && { definitionHash: this.definitionHash }),
      sharedKey: this.#sharedKey(),
      ...capabilities.forServer(this.configured, resolved.roots),
      ownLogin,
      onChanged: (part) => this.#notifyChange(part),
    });
    this.#onServerChange(this);
    return this.#lease.connection;
  }

  #connectionKey({ target }: Resolved, credentialSource: CredentialSource | undefined): ConnectionKey {
    const { protocol, maxMessageBytes, share } = this.definition;
    // With `auto`, the era is detected.
    return { target, credentialSource, maxMessageBytes, share, onlyEra: protocol === "auto" ? undefined : protocol };
  }

  /** Returns undefined for a local server, which gets its credentials in its environment. */
  #credentialsFor({ target, auth }: Resolved): CredentialSource | undefined {
    if (!("url" in target)) return undefined;
    const { id: server, account, ownLogin: principal } = this;
    return this.#ports.logins.credentialsFor({ server, target, auth, account, principal });
  }

  #resolve(): Resolved | Promise<Resolved> {
    const { env, resolve } = this.#ports;
    try {
      return resolveServer(this.configured, env, resolve);
    } catch (error) {
      throw this.#recordFailure(error);
    }
  }

  #recordFailure(thrown: unknown): HostError {
    const error = toHostError(thrown);
    const isNew = this.#resolveError?.message !== error.message;
    this.#resolveError = error;
    this.#setPendingSecrets({ state: "failed", error });
    if (isNew) this.#notifyChange("state");
    return error;
  }

  #notifyChange(part: "state" | CatalogPart): void {
    const { id: server } = this;
    const { emit } = this.#ports;
    this.#onServerChange(this, part);
    // There are no events for changes of resources and prompts.
    if (part !== "state" && part !== "tools") return;
    const { connection } = this;
    if (part === "tools") {
      const tools = connection ? this.#sortTools(this, connection).offered.length : 0;
      emit({ type: "catalog.changed", server, tools });
    } else {
      // `connectionStatus` is faster than `status`, which also describes the target.
      const { state, lastError, retryAt } = connection ? connectionStatus(connection, server) : this.status();
      const error = lastError && { error: lastError };
      emit({ type: "server.changed", server, state, ...error, ...(retryAt !== undefined && { retryAt }) });
    }
  }
}

function tryResolveRoots(server: ConfiguredServer, env: Env): readonly string[] | undefined | "unresolved" {
  try {
    return resolveRoots(server, env);
  } catch {
    // The next `lease` throws the reason.
    return "unresolved";
  }
}
