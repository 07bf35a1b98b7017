/** One configured server of a workspace: its definition, its lease on a connection, its status. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostEventData, ServerDetail, ServerStatus, Env } from "@plugboard/contracts";
import type { CatalogPart, Connection } from "@plugboard/mcp";
import { renameServerInError } from "../calls/rename-server-in-error.ts";
import type { ConfiguredServer, ServerDefinition } from "../config/definition/definition.ts";
import { describeTarget } from "../redaction/describe-target.ts";
import { redactedEntry } from "../redaction/redacted-entry.ts";
import { resolveServer, resolveWithoutSecrets, requireValidDefinition } from "../config/resolve/resolve-server.ts";
import type { ResolvedServer, ResolvePorts } from "../config/resolve/resolve-server.ts";
import type { CredentialSource } from "../auth/credentials/credential-source.ts";
import type { LoginManager } from "../auth/login-manager.ts";
import type { Lease, ConnectionPool } from "../pool/connection-pool.ts";
import { definitionHash } from "../trust/definition-hash.ts";
import type { OfferedCapabilities } from "./client-capabilities.ts";
import { liveStatus } from "./live-status.ts";

export interface WorkspaceServerOptions {
  readonly configured: ConfiguredServer;
  readonly pool: ConnectionPool;
  readonly env: Env;
  readonly ports: ResolvePorts;
  readonly capabilities: OfferedCapabilities;
  readonly logins: LoginManager;
  readonly emit: (event: HostEventData) => void;
  /** Told, before anybody else is, when what the server offers may be something else. */
  readonly onCatalogChange: (server: WorkspaceServer) => void;
}

export class WorkspaceServer {
  readonly id: string;
  readonly #options: WorkspaceServerOptions;
  #configured: ConfiguredServer;
  #lease: Lease | undefined;
  #credentials: CredentialSource | undefined;
  #leasing: Promise<Connection> | undefined;
  #cancelLease: (() => void) | undefined;
  #hash: string | undefined;
  #hidden = false;
  #released = false;
  /** Why it can't even be tried, from the last time somebody wanted to. */
  #resolveError: HostError | undefined;

  constructor(options: WorkspaceServerOptions) {
    this.#options = options;
    this.#configured = options.configured;
    this.id = options.configured.id;
  }

  get configured(): ConfiguredServer {
    return this.#configured;
  }

  get connection(): Connection | undefined {
    return this.#lease?.connection;
  }

  /** Throws for one whose entry is wrong. */
  get definition(): ServerDefinition {
    return requireValidDefinition(this.configured);
  }

  /** Which of the user's logins there. */
  get account(): string | undefined {
    const { definition } = this.configured;
    return "account" in definition ? definition.account : undefined;
  }

  /** How its requests come by what they are sent with. Nothing where nobody logs in, or while it is not leased. */
  get credentials(): CredentialSource | undefined {
    return this.#credentials;
  }

  get timeouts(): { readonly timeoutMs: number; readonly maxMs: number } {
    const { requestTimeoutMs, maxTimeoutMs } = this.definition;
    return { timeoutMs: requestTimeoutMs, maxMs: maxTimeoutMs };
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

  /** Let go of, and not asked for since. */
  get released(): boolean {
    return this.#released;
  }

  /** The connection, not yet opened; at once unless a secret has to be fetched. Throws for a server that can't be used. */
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
    this.#options.onCatalogChange(this);
    await lease?.release();
  }

  /** Another definition of the same link. */
  updateDefinition(configured: ConfiguredServer): void {
    this.#configured = configured;
    this.#hash = undefined;
    this.#options.onCatalogChange(this);
  }

  /** Stands where another one did: what was hidden stays so. */
  inheritFrom({ hidden }: WorkspaceServer): void {
    this.#hidden = hidden;
    this.#options.onCatalogChange(this);
  }

  /** What is lent as roots is not what it was. */
  rootsChanged(): void {
    if (this.#options.capabilities.usesWorkspaceRoots(this.configured)) this.connection?.notifyRootsChanged();
  }

  toggle(on: boolean): void {
    if (this.#hidden !== on) return;
    this.#hidden = !on;
    this.#changed("tools");
  }

  status(): ServerStatus {
    const { id, source, definition } = this.configured;
    if ("invalid" in definition) {
      const error = new HostError("SERVER_INVALID", { server: id, reason: definition.invalid });
      const base = { id, source, transport: "stdio", target: "", enabled: false, tools: 0 } as const;
      return { ...base, state: "error", lastError: error.toJSON() };
    }
    const { transport, enabled } = definition;
    const hidden = this.#hidden && { hidden: true };
    const base = { id, transport, source, enabled, ...hidden, target: describeTarget(definition) };
    if (!enabled) return { ...base, state: "disabled", tools: 0 };
    const connection = this.connection ?? this.#sharedConnection();
    const login = this.#credentials?.status();
    if (connection) return { ...base, ...liveStatus(connection, id), ...(login && { login }) };
    if (this.#leasing) return { ...base, state: "connecting", tools: 0 };
    if (!this.#resolveError) return { ...base, state: "idle", tools: 0, ...(login && { login }) };
    return { ...base, state: "error", tools: 0, lastError: this.#resolveError.toJSON() };
  }

  detail(): ServerDetail {
    const connection = this.connection ?? this.#sharedConnection();
    const instructions = connection?.session?.serverInfo.instructions;
    return {
      ...this.status(),
      config: "invalid" in this.configured.definition ? {} : redactedEntry(this.configured.definition),
      offered: (connection?.catalog.tools ?? []).map(({ name, description, annotations }) => ({
        name,
        ...(description !== undefined && { description }),
        ...(annotations && { annotations }),
      })),
      ...(instructions !== undefined && { instructions }),
      ...(connection?.stderrTail && { stderr: connection.stderrTail }),
    };
  }

  /** What another workspace has running is as good as ours. */
  #sharedConnection(): Connection | undefined {
    const { pool, env, ports, capabilities } = this.#options;
    try {
      const resolved = resolveWithoutSecrets(this.configured, env, ports);
      if (!resolved) return undefined;
      this.#credentials = this.#credentialsFor(resolved);
      return pool.peek(
        resolved.target,
        capabilities.forServer(this.configured, resolved.roots).capabilitiesKey,
        this.#credentials,
      );
    } catch {
      // Not even resolvable: whoever wants to use it is told why.
      return undefined;
    }
  }

  /** A secret may take its time, or never come: whoever lets go of the server does not wait for it. */
  #leaseWhenResolved(resolved: Promise<ResolvedServer>): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const end = (then: () => void) => {
        if (this.#cancelLease !== giveUp) return;
        this.#cancelLease = this.#leasing = undefined;
        then();
      };
      const giveUp = () => end(() => reject(new HostError("CONNECTION_CLOSED", { server: this.id })));
      this.#cancelLease = giveUp;
      void resolved.then(
        (found) => end(() => resolve(this.#acquireLease(found))),
        (error: unknown) => end(() => reject(this.#recordFailure(error))),
      );
    });
  }

  #acquireLease(resolved: ResolvedServer): Connection {
    const { pool, capabilities } = this.#options;
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
      // Zero is never.
      ...(idleStopMs ? { idleStopMs } : {}),
      ...(retry !== undefined && { retry }),
      ...capabilities.forServer(this.configured, resolved.roots),
      credentialSource,
      onChanged: (what) => this.#changed(what),
    });
    this.#options.onCatalogChange(this);
    return this.#lease.connection;
  }

  #credentialsFor({ target, auth }: ResolvedServer): CredentialSource | undefined {
    return this.#options.logins.credentialsFor({ server: this.id, target, auth, account: this.account });
  }

  #resolve(): ResolvedServer | Promise<ResolvedServer> {
    const { env, ports } = this.#options;
    try {
      return resolveServer(this.configured, env, ports);
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

  #changed(what: "state" | CatalogPart): void {
    const { id: server } = this;
    const { emit, onCatalogChange } = this.#options;
    onCatalogChange(this);
    if (what !== "state" && what !== "tools") return;
    // What it runs, which takes longest to put into words, is not told each time.
    const { connection } = this;
    const { state: now, tools, lastError } = connection ? liveStatus(connection, server) : this.status();
    if (what === "tools") emit({ type: "catalog.changed", server, tools });
    else emit({ type: "server.changed", server, state: now, ...(lastError && { error: lastError }) });
  }
}

export function toServerError(thrown: unknown, server: string): HostError {
  return renameServerInError(toHostError(thrown), server);
}
