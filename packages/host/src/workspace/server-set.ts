/** The servers of a workspace, as the current config defines them. A new config restarts only changed servers. */
import { setMaxListeners } from "node:events";
import { HostError, toHostError, nearest } from "@plugboard/contracts";
import type { ServerStatus, SetServersResult, StartOptions, StartReport } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import { renameServerInError } from "../calls/rename-server-in-error.ts";
import { canonicalDigest } from "@plugboard/store";
import { LIVE_KEYS } from "@plugboard/config";
import type { ConfiguredServer } from "@plugboard/config";
import type { ReleaseOptions } from "../pool/connection-pool.ts";
import { WorkspaceServer } from "./workspace-server.ts";
import type { ServerPorts, WorkspaceServerOptions } from "./workspace-server.ts";

export interface ServerSetOptions {
  readonly ports: ServerPorts;
  /** Called when the tools or the state of a server may have changed. */
  readonly onServerChange: WorkspaceServerOptions["onServerChange"];
  readonly sortTools: WorkspaceServerOptions["sortTools"];
  /** Called when a server has left the config. */
  readonly onRemoved: (id: string) => void;
}

export type ServerChanges = Omit<SetServersResult, "errors">;

export class ServerSet {
  readonly #options: ServerSetOptions;
  #servers: ReadonlyMap<string, WorkspaceServer> = new Map();
  #released = false;

  constructor(options: ServerSetOptions) {
    this.#options = options;
  }

  all(): Iterable<WorkspaceServer> {
    return this.#servers.values();
  }

  get(id: string): WorkspaceServer {
    if (this.#released) throw new HostError("HOST_CLOSED", {});
    const server = this.#servers.get(id);
    if (server) return server;
    const knownIds = [...this.#servers.keys()];
    const suggestion = nearest(id, knownIds);
    throw new HostError("SERVER_UNKNOWN", {
      server: id,
      known: knownIds,
      ...(suggestion !== undefined && { suggestion }),
    });
  }

  find(id: string): WorkspaceServer | undefined {
    return this.#servers.get(id);
  }

  /** Adds, updates and removes servers. `released` resolves when the removed and replaced servers have stopped. */
  apply(configuredServers: Iterable<ConfiguredServer>): {
    readonly applied: ServerChanges;
    readonly released: Promise<unknown>;
  } {
    const before = this.#servers;
    const after = new Map<string, WorkspaceServer>();
    const added: string[] = [];
    const changed: string[] = [];
    const replaced: WorkspaceServer[] = [];
    for (const configured of configuredServers) {
      const { id } = configured;
      const old = before.get(id);
      if (!old) {
        added.push(id);
        after.set(id, this.#create(configured));
        continue;
      }
      const keepsConnection = hasSameConnection(old.configured, configured);
      after.set(id, keepsConnection ? old : this.#create(configured));
      if (isSameServer(old.configured, configured)) continue;
      changed.push(id);
      if (keepsConnection) old.updateDefinition(configured);
      else replaced.push(old);
    }
    const removed = [...before.keys()].filter((id) => !after.has(id));
    this.#servers = after;
    for (const id of removed) this.#options.onRemoved(id);
    const released = [
      ...replaced.map((old) => after.get(old.id)!.replace(old)),
      ...removed.map((id) => before.get(id)!.release()),
    ];
    return { applied: { added, removed, changed }, released: Promise.all(released) };
  }

  /** Starts the enabled servers among these in parallel. A failed server is reported, and does not stop the others. */
  async start(servers: readonly WorkspaceServer[], options: StartOptions = {}): Promise<StartReport> {
    const { signal } = options;
    // Every server listens to this signal, so Node must not warn about many listeners.
    if (signal) setMaxListeners(0, signal);
    const results = await Promise.all(
      servers.map(async (server) => ({ server, result: await this.#start(server, options) })),
    );
    const errors = results.flatMap(({ server, result }) =>
      result instanceof HostError ? [[server.id, result.toJSON()]] : [],
    );
    const idsWith = (wanted: "ready" | "stored") =>
      results.flatMap(({ server, result }) => (result === wanted ? server.id : []));
    const stored = idsWith("stored");
    const report = { ready: idsWith("ready"), errors: Object.fromEntries(errors) as StartReport["errors"] };
    return stored.length === 0 ? report : { ...report, stored };
  }

  /** Connects to the server. Tries again even if the server has failed and is no longer retried automatically. */
  connect(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#withConnection(id, (connection) => connection.retry(signal));
  }

  reconnect(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#withConnection(id, (connection) => connection.reconnect(signal));
  }

  refresh(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#withConnection(id, (connection) => connection.refresh(signal));
  }

  async release(options?: ReleaseOptions): Promise<void> {
    this.#released = true;
    await Promise.all([...this.all()].map((server) => server.release(options)));
  }

  #create(configured: ConfiguredServer): WorkspaceServer {
    const { ports, onServerChange, sortTools } = this.#options;
    return new WorkspaceServer({ configured, ports, onServerChange, sortTools });
  }

  /**
   * Does not start a lazy server whose tools are known from an earlier run. Returns "stored" if `connects` leaves the
   * server unconnected, because its tools are known.
   */
  async #start(
    server: WorkspaceServer,
    { signal, retryFailed = true, connects = "all" }: StartOptions,
  ): Promise<"ready" | "stored" | "skipped" | HostError> {
    try {
      const { enabled, start } = server.definition;
      if (!enabled) return "skipped";
      const connection = await this.get(server.id).lease();
      const { state } = connection;
      if (connects !== "all" && state.phase === "ready") return "ready";
      // Stored tools of a server that has failed are not listed.
      if (connects !== "all" && connection.toolsKnown && "error" in state && state.error) throw state.error;
      if (connects !== "all" && connection.toolsKnown) return "stored";
      if (start === "lazy" && connection.toolsKnown) return "skipped";
      if (connects === "none") return "skipped";
      if (!retryFailed && (state.phase === "error" || state.phase === "auth_required")) throw state.error;
      await connection.start(signal);
      return "ready";
    } catch (error) {
      return renameServerInError(toHostError(error), server.id);
    }
  }

  async #withConnection(id: string, run: (connection: Connection) => Promise<unknown>): Promise<ServerStatus> {
    const server = this.get(id);
    try {
      await run(await server.lease());
    } catch (error) {
      throw renameServerInError(toHostError(error), id);
    }
    return server.status();
  }
}

function isSameServer(old: ConfiguredServer, updated: ConfiguredServer): boolean {
  return canonicalDigest(old) === canonicalDigest(updated);
}

/** Returns whether the updated server can keep the connection of the old server. */
function hasSameConnection(old: ConfiguredServer, updated: ConfiguredServer): boolean {
  const connectionPart = ({ id, source, folder, enabledBy, definition, sandbox }: ConfiguredServer) => ({
    origin: [id, source, folder, enabledBy ?? null],
    sandbox: sandbox ?? null,
    // As an object, because the order of the keys depends on how the entry was read.
    definition: Object.fromEntries(Object.entries(definition).filter(([key]) => !LIVE_KEYS.has(key))),
  });
  return canonicalDigest(connectionPart(old)) === canonicalDigest(connectionPart(updated));
}
