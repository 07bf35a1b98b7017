/** One configured server of a workspace: its definition, its lease on a connection, its status. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostFact, ServerStatus } from "@plugboard/contracts";
import type { CatalogPart, Connection, Target } from "@plugboard/mcp";
import { relabel } from "../calls/relabel.ts";
import type { ConfiguredServer } from "../config/definition.ts";
import { describeTarget } from "../config/describe-target.ts";
import { resolveWithoutSecrets, usable } from "../config/resolve-target.ts";
import type { Lease, Pool } from "../pool/pool.ts";

export interface WorkspaceServerOptions {
  readonly configured: ConfiguredServer;
  readonly pool: Pool;
  readonly env: { readonly [name: string]: string | undefined };
  readonly state: (fact: HostFact) => void;
}

export class WorkspaceServer {
  readonly id: string;
  readonly #options: WorkspaceServerOptions;
  #lease: Lease | undefined;
  /** Why it can't even be tried, from the last time somebody wanted to. */
  #refusal: HostError | undefined;

  constructor(options: WorkspaceServerOptions) {
    this.#options = options;
    this.id = options.configured.id;
  }

  get connection(): Connection | undefined {
    return this.#lease?.connection;
  }

  get timeouts(): { readonly timeoutMs: number; readonly maxMs: number } {
    const { requestTimeoutMs, maxTimeoutMs } = usable(this.#options.configured);
    return { timeoutMs: requestTimeoutMs, maxMs: maxTimeoutMs };
  }

  /** The connection, not yet opened. Throws for a server that can't be used. */
  lease(): Connection {
    const { configured, pool } = this.#options;
    const { enabled, startupTimeoutMs, requestTimeoutMs, healthIntervalMs, idleStopMs, retry, maxMessageBytes } =
      usable(configured);
    if (!enabled) throw new HostError("SERVER_DISABLED", { server: this.id });
    this.#lease ??= pool.lease({
      server: this.id,
      target: this.#resolve(),
      startupTimeoutMs,
      requestTimeoutMs,
      healthIntervalMs,
      maxMessageBytes,
      // Zero is never.
      ...(idleStopMs ? { idleStopMs } : {}),
      ...(retry !== undefined && { retry }),
      onChanged: (what) => this.#changed(what),
    });
    return this.#lease.connection;
  }

  async release(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    await lease?.release();
  }

  status(): ServerStatus {
    const { id, source, definition } = this.#options.configured;
    if ("invalid" in definition) {
      const error = new HostError("SERVER_INVALID", { server: id, what: definition.invalid });
      const base = { id, source, transport: "stdio", target: "", enabled: false, tools: 0 } as const;
      return { ...base, state: "error", last_error: error.toJSON() };
    }
    const { transport, enabled } = definition;
    const base = { id, transport, source, enabled, target: describeTarget(definition) };
    if (!enabled) return { ...base, state: "disabled", tools: 0 };
    const connection = this.connection ?? this.#elsewhere();
    if (connection) return { ...base, ...live(connection, id) };
    if (!this.#refusal) return { ...base, state: "idle", tools: 0 };
    return { ...base, state: "error", tools: 0, last_error: this.#refusal.toJSON() };
  }

  /** What another workspace has running is as good as ours. */
  #elsewhere(): Connection | undefined {
    const { configured, pool, env } = this.#options;
    try {
      const target = resolveWithoutSecrets(configured, env);
      return target && pool.peek(target);
    } catch {
      // Not even resolvable: whoever wants to use it is told why.
      return undefined;
    }
  }

  #resolve(): Target {
    const { configured, env } = this.#options;
    try {
      this.#refusal = undefined;
      const target = resolveWithoutSecrets(configured, env);
      if (target) return target;
      throw new HostError("SERVER_INVALID", { server: this.id, what: "its secrets can't be fetched yet" });
    } catch (error) {
      this.#refusal = toHostError(error);
      throw error;
    }
  }

  #changed(what: "state" | CatalogPart): void {
    const { id: server } = this;
    const { state } = this.#options;
    const { state: now, tools, last_error } = this.status();
    if (what === "tools") state({ type: "catalog.changed", server, tools });
    if (what === "state")
      state({ type: "server.changed", server, state: now, ...(last_error && { error: last_error }) });
  }
}

function live(
  connection: Connection,
  id: string,
): Omit<ServerStatus, "id" | "transport" | "source" | "enabled" | "target"> {
  const { state, session, catalog, pid, lastConnectedAt } = connection;
  const ready = state.phase === "ready" ? session : undefined;
  const { name, serverVersion } = ready?.facts ?? {};
  return {
    state: state.phase === "waiting" ? "connecting" : state.phase,
    tools: catalog.tools.length,
    ...(ready && { era: ready.era, version: ready.version }),
    ...(name !== undefined && { serverInfo: { name, version: serverVersion ?? "" } }),
    ...(ready && ready.passedOver > 0 && { passed_over: ready.passedOver }),
    ...(pid !== undefined && { pid }),
    ...("error" in state && state.error && { last_error: relabel(state.error, id).toJSON() }),
    ...("retryAt" in state && { retry_at: state.retryAt }),
    ...(state.restarts > 0 && { restarts: state.restarts }),
    ...(lastConnectedAt !== undefined && { last_connected_at: lastConnectedAt }),
    ...(catalog.dropped.length > 0 && { dropped_tools: catalog.dropped }),
  };
}
