/** One server of a workspace: its definition, its lease on a connection, and its status. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostEventData, ServerDetail, ServerStatus, Env } from "@plugboard/contracts";
import type { CatalogPart, Connection } from "@plugboard/mcp";
import type { ConfiguredServer, ServerDefinition } from "../config/definition/definition.ts";
import { resolveServer, resolveWithoutSecrets, requireValidDefinition } from "../config/resolve/resolve-server.ts";
import type { ResolvedServer, ResolvePorts } from "../config/resolve/resolve-server.ts";
import type { CredentialSource } from "../auth/credentials/credential-source.ts";
import type { LoginManager } from "../auth/login-manager.ts";
import type { Lease, ConnectionPool } from "../pool/connection-pool.ts";
import { definitionHash } from "../trust/definition-hash.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";
import { connectionStatus, describeServer, describeServerDetail } from "./describe-server.ts";
import type { DescribedServer } from "./describe-server.ts";

/** The parts of the host that every server of a workspace uses. */
export interface ServerPorts {
  readonly pool: ConnectionPool;
  readonly env: Env;
  readonly resolve: ResolvePorts;
  readonly capabilities: ClientCapabilities;
  readonly logins: LoginManager;
  readonly emit: (event: HostEventData) => void;
}

export interface WorkspaceServerOptions {
  readonly configured: ConfiguredServer;
  readonly ports: ServerPorts;
  /** Called when the server's tools or state may have changed, before an event is emitted. */
  readonly onCatalogChange: (server: WorkspaceServer) => void;
}

export class WorkspaceServer {
  readonly id: string;
  readonly #ports: ServerPorts;
  readonly #onCatalogChange: WorkspaceServerOptions["onCatalogChange"];
  #configured: ConfiguredServer;
  #lease: Lease | undefined;
  #credentials: CredentialSource | undefined;
  #leasing: Promise<Connection> | undefined;
  #cancelLease: (() => void) | undefined;
  #hash: string | undefined;
  #hidden = false;
  #released = false;
  /** The reason why the definition could not be resolved at the last attempt. */
  #resolveError: HostError | undefined;

  constructor({ configured, ports, onCatalogChange }: WorkspaceServerOptions) {
    this.#ports = ports;
    this.#onCatalogChange = onCatalogChange;
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

  get hidden(): boolean {
    return this.#hidden;
  }

  /** Whether the server was disconnected and has not been used since. */
  get released(): boolean {
    return this.#released;
  }

  /**
   * Returns the connection, which opens with its first request. Returns a promise if a secret has to be fetched.
   * Throws for a server that can't be used.
   */
  lease(): Connection | Promise<Connection> {
    if (this.#lease) return this.#lease.connection;
    if (this.#leasing) return this.#leasing;
    if (!this.definition.enabled) throw new HostError("SERVER_DISABLED", { server: this.id });
    this.#released = false;
    const resolved = this.#resolve();
    if (!(resolved instanceof Promise)) return this.#acquireLease(resolved);
    this.#leasing = this.#leaseWhenResolved(resolved);
    this.#changed("state");
    return this.#leasing;
  }

  async release(): Promise<void> {
    this.#cancelLease?.();
    this.#released = true;
    const lease = this.#lease;
    this.#lease = undefined;
    this.#onCatalogChange(this);
    await lease?.release();
  }

  /** Replaces the definition with one that can use the same connection. */
  updateDefinition(configured: ConfiguredServer): void {
    this.#configured = configured;
    this.#hash = undefined;
    this.#onCatalogChange(this);
  }

  /** Takes over the settings made at run time from the server that this one replaces. */
  inheritFrom({ hidden }: WorkspaceServer): void {
    this.#hidden = hidden;
    this.#onCatalogChange(this);
  }

  /** Tells the server that the roots of the workspace have changed. */
  rootsChanged(): void {
    if (this.#ports.capabilities.usesWorkspaceRoots(this.configured)) this.connection?.notifyRootsChanged();
  }

  toggle(on: boolean): void {
    if (this.#hidden !== on) return;
    this.#hidden = !on;
    this.#changed("tools");
  }

  /** Returns the status without starting anything. */
  status(): ServerStatus {
    const connection = this.connection ?? (this.enabled ? this.#sharedConnection() : undefined);
    return describeServer(this.#described(connection));
  }

  detail(): ServerDetail {
    return describeServerDetail(this.#described(this.connection ?? this.#sharedConnection()));
  }

  #described(connection: Connection | undefined): DescribedServer {
    return {
      configured: this.configured,
      hidden: this.#hidden,
      connection,
      leasing: this.#leasing !== undefined,
      resolveError: this.#resolveError,
      login: this.#credentials?.status(),
    };
  }

  /** Returns the connection that another workspace has open for an equal definition. */
  #sharedConnection(): Connection | undefined {
    const { pool, env, resolve, capabilities } = this.#ports;
    try {
      const resolved = resolveWithoutSecrets(this.configured, env, resolve);
      if (!resolved) return undefined;
      this.#credentials = this.#credentialsFor(resolved);
      return pool.peek(
        resolved.target,
        capabilities.forServer(this.configured, resolved.roots).capabilitiesKey,
        this.#credentials,
      );
    } catch {
      // `lease` throws the reason why the definition can't be resolved.
      return undefined;
    }
  }

  /** Waits for the secrets of the definition. `release` ends the wait, which could otherwise take forever. */
  #leaseWhenResolved(resolved: Promise<ResolvedServer>): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const end = (then: () => void) => {
        if (this.#cancelLease !== cancel) return;
        this.#cancelLease = this.#leasing = undefined;
        then();
      };
      const cancel = () => end(() => reject(new HostError("CONNECTION_CLOSED", { server: this.id })));
      this.#cancelLease = cancel;
      void resolved.then(
        (server) => end(() => resolve(this.#acquireLease(server))),
        (error: unknown) => end(() => reject(this.#recordFailure(error))),
      );
    });
  }

  #acquireLease(resolved: ResolvedServer): Connection {
    const { pool, capabilities } = this.#ports;
    const { target } = resolved;
    const credentialSource = (this.#credentials = this.#credentialsFor(resolved));
    const { startupTimeoutMs, requestTimeoutMs, healthIntervalMs, start, idleStopMs, retry, maxMessageBytes } =
      this.definition;
    this.#resolveError = undefined;
    this.#lease ??= pool.lease({
      server: this.id,
      target,
      startupTimeoutMs,
      requestTimeoutMs,
      healthIntervalMs,
      start,
      maxMessageBytes,
      // In a definition, 0 means that the server never stops when idle.
      ...(idleStopMs ? { idleStopMs } : {}),
      ...(retry !== undefined && { retry }),
      ...capabilities.forServer(this.configured, resolved.roots),
      credentialSource,
      onChanged: (part) => this.#changed(part),
    });
    this.#onCatalogChange(this);
    return this.#lease.connection;
  }

  #credentialsFor({ target, auth }: ResolvedServer): CredentialSource | undefined {
    return this.#ports.logins.credentialsFor({ server: this.id, target, auth, account: this.account });
  }

  #resolve(): ResolvedServer | Promise<ResolvedServer> {
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
    if (isNew) this.#changed("state");
    return error;
  }

  #changed(part: "state" | CatalogPart): void {
    const { id: server } = this;
    const { emit } = this.#ports;
    this.#onCatalogChange(this);
    if (part !== "state" && part !== "tools") return;
    // The full status would also describe the target, which is slow.
    const { connection } = this;
    const { state, tools, lastError } = connection ? connectionStatus(connection, server) : this.status();
    if (part === "tools") emit({ type: "catalog.changed", server, tools });
    else emit({ type: "server.changed", server, state, ...(lastError && { error: lastError }) });
  }
}
