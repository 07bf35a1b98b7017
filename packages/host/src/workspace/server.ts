/** One configured server of a workspace: its definition, its lease on a connection, its status. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostFact, ServerDetail, ServerStatus } from "@plugboard/contracts";
import type { CatalogPart, Connection } from "@plugboard/mcp";
import type { LogIn } from "../calls/calls.ts";
import { relabel } from "../calls/relabel.ts";
import type { ConfiguredServer, ServerDefinition } from "../config/definition.ts";
import { describeTarget } from "../config/describe-target.ts";
import { redactedEntry } from "../config/redacted-entry.ts";
import { resolveServer, resolveWithoutSecrets, usable } from "../config/resolve-target.ts";
import type { ResolvedServer, ResolvePorts } from "../config/resolve-target.ts";
import type { Access } from "../login/access.ts";
import type { Logins } from "../login/logins.ts";
import type { Lease, Pool } from "../pool/pool.ts";
import { definitionHash } from "../trust/definition-hash.ts";
import type { Lends } from "./lends.ts";
import { liveStatus } from "./live-status.ts";

export interface WorkspaceServerOptions {
  readonly configured: ConfiguredServer;
  readonly pool: Pool;
  readonly env: { readonly [name: string]: string | undefined };
  readonly ports: ResolvePorts;
  readonly lends: Lends;
  readonly logins: Logins;
  readonly state: (fact: HostFact) => void;
  /** Told, before anybody else is, when what the server offers may be something else. */
  readonly onOffer: (server: WorkspaceServer) => void;
  /** It wants a login, and somebody met it. */
  readonly onLoginWanted: (server: WorkspaceServer, ...met: Parameters<LogIn>) => Promise<boolean>;
}

export class WorkspaceServer {
  readonly id: string;
  readonly logIn: LogIn;
  readonly #options: WorkspaceServerOptions;
  #configured: ConfiguredServer;
  #lease: Lease | undefined;
  #access: Access | undefined;
  #leasing: Promise<Connection> | undefined;
  #giveUp: (() => void) | undefined;
  #hash: string | undefined;
  #hidden = false;
  #left = false;
  /** Why it can't even be tried, from the last time somebody wanted to. */
  #refusal: HostError | undefined;

  constructor(options: WorkspaceServerOptions) {
    this.#options = options;
    this.#configured = options.configured;
    this.id = options.configured.id;
    this.logIn = (error, by) => options.onLoginWanted(this, error, by);
  }

  get configured(): ConfiguredServer {
    return this.#configured;
  }

  get connection(): Connection | undefined {
    return this.#lease?.connection;
  }

  /** Throws for one whose entry is wrong. */
  get definition(): ServerDefinition {
    return usable(this.configured);
  }

  /** Which of the user's logins there. */
  get account(): string | undefined {
    const { definition } = this.configured;
    return "account" in definition ? definition.account : undefined;
  }

  /** How its requests come by what they are sent with. Nothing where nobody logs in, or while it is not leased. */
  get access(): Access | undefined {
    return this.#access;
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
  get left(): boolean {
    return this.#left;
  }

  /** The connection, not yet opened; at once unless a secret has to be fetched. Throws for a server that can't be used. */
  lease(): Connection | Promise<Connection> {
    if (this.#lease) return this.#lease.connection;
    if (this.#leasing) return this.#leasing;
    if (!this.definition.enabled) throw new HostError("SERVER_DISABLED", { server: this.id });
    this.#left = false;
    const resolved = this.#resolve();
    if (!(resolved instanceof Promise)) return this.#leased(resolved);
    this.#leasing = this.#leaseLater(resolved);
    this.#changed("state");
    return this.#leasing;
  }

  async release(): Promise<void> {
    this.#giveUp?.();
    this.#left = true;
    const lease = this.#lease;
    this.#lease = undefined;
    this.#options.onOffer(this);
    await lease?.release();
  }

  /** Another definition of the same link. */
  redefine(configured: ConfiguredServer): void {
    this.#configured = configured;
    this.#hash = undefined;
    this.#options.onOffer(this);
  }

  /** Stands where another one did: what was hidden stays so. */
  succeed({ hidden }: WorkspaceServer): void {
    this.#hidden = hidden;
    this.#options.onOffer(this);
  }

  /** What is lent as roots is not what it was. */
  rootsChanged(): void {
    if (this.#options.lends.followsRoots(this.configured)) this.connection?.rootsChanged();
  }

  toggle(on: boolean): void {
    if (this.#hidden !== on) return;
    this.#hidden = !on;
    this.#changed("tools");
  }

  status(): ServerStatus {
    const { id, source, definition } = this.configured;
    if ("invalid" in definition) {
      const error = new HostError("SERVER_INVALID", { server: id, what: definition.invalid });
      const base = { id, source, transport: "stdio", target: "", enabled: false, tools: 0 } as const;
      return { ...base, state: "error", last_error: error.toJSON() };
    }
    const { transport, enabled } = definition;
    const hidden = this.#hidden && { hidden: true };
    const base = { id, transport, source, enabled, ...hidden, target: describeTarget(definition) };
    if (!enabled) return { ...base, state: "disabled", tools: 0 };
    const connection = this.connection ?? this.#elsewhere();
    const login = this.#access?.status();
    if (connection) return { ...base, ...liveStatus(connection, id), ...(login && { login }) };
    if (this.#leasing) return { ...base, state: "connecting", tools: 0 };
    if (!this.#refusal) return { ...base, state: "idle", tools: 0, ...(login && { login }) };
    return { ...base, state: "error", tools: 0, last_error: this.#refusal.toJSON() };
  }

  detail(): ServerDetail {
    const connection = this.connection ?? this.#elsewhere();
    const instructions = connection?.session?.facts.instructions;
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
  #elsewhere(): Connection | undefined {
    const { pool, env, ports, lends } = this.#options;
    try {
      const resolved = resolveWithoutSecrets(this.configured, env, ports);
      if (!resolved) return undefined;
      this.#access = this.#accessTo(resolved);
      return pool.peek(resolved.target, lends.to(this.configured, resolved.roots).lent, this.#access);
    } catch {
      // Not even resolvable: whoever wants to use it is told why.
      return undefined;
    }
  }

  /** A secret may take its time, or never come: whoever lets go of the server does not wait for it. */
  #leaseLater(resolved: Promise<ResolvedServer>): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const end = (then: () => void) => {
        if (this.#giveUp !== giveUp) return;
        this.#giveUp = this.#leasing = undefined;
        then();
      };
      const giveUp = () => end(() => reject(new HostError("CONNECTION_CLOSED", { server: this.id })));
      this.#giveUp = giveUp;
      void resolved.then(
        (found) => end(() => resolve(this.#leased(found))),
        (error: unknown) => end(() => reject(this.#refused(error))),
      );
    });
  }

  #leased(resolved: ResolvedServer): Connection {
    const { pool, lends } = this.#options;
    const { target } = resolved;
    const access = (this.#access = this.#accessTo(resolved));
    const { startupTimeoutMs, requestTimeoutMs, healthIntervalMs, start, idleStopMs, retry, maxMessageBytes } =
      this.definition;
    this.#refusal = undefined;
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
      ...lends.to(this.configured, resolved.roots),
      access,
      onChanged: (what) => this.#changed(what),
    });
    this.#options.onOffer(this);
    return this.#lease.connection;
  }

  #accessTo({ target, auth }: ResolvedServer): Access | undefined {
    return this.#options.logins.access({ server: this.id, target, auth, account: this.account });
  }

  #resolve(): ResolvedServer | Promise<ResolvedServer> {
    const { env, ports } = this.#options;
    try {
      return resolveServer(this.configured, env, ports);
    } catch (error) {
      throw this.#refused(error);
    }
  }

  #refused(thrown: unknown): HostError {
    const error = toHostError(thrown);
    const news = this.#refusal?.message !== error.message;
    this.#refusal = error;
    if (news) this.#changed("state");
    return error;
  }

  #changed(what: "state" | CatalogPart): void {
    const { id: server } = this;
    const { state, onOffer } = this.#options;
    onOffer(this);
    if (what !== "state" && what !== "tools") return;
    // What it runs, which takes longest to put into words, is not told each time.
    const { connection } = this;
    const { state: now, tools, last_error } = connection ? liveStatus(connection, server) : this.status();
    if (what === "tools") state({ type: "catalog.changed", server, tools });
    else state({ type: "server.changed", server, state: now, ...(last_error && { error: last_error }) });
  }
}

export function relabelled(thrown: unknown, server: string): HostError {
  return relabel(toHostError(thrown), server);
}
