/** One folder's view of the host: its configured servers, the names of their tools, its rules. Knows no caller. */
import { HostError, toHostError } from "@plugboard/contracts";
import type {
  ConfigProblem,
  HostErrorJson,
  HostFact,
  JsonObject,
  OfferedTool,
  ServerStatus,
  StartReport,
  ToolRef,
  ToolResult,
} from "@plugboard/contracts";
import type { Connection, Outcome, Resumed, ToolCatalog } from "@plugboard/mcp";
import type { CallBy, Calls, ResolvedCall } from "../calls/calls.ts";
import { relabel } from "../calls/relabel.ts";
import type { Config } from "../config/read-config.ts";
import { NameTable } from "../names/name-table.ts";
import { nearest } from "../names/nearest.ts";
import { deniedOutright } from "../policy/evaluate.ts";
import { Pins } from "../tools/pin.ts";
import { registeredTool } from "../tools/registered-tool.ts";
import type { WorkspaceServerOptions } from "./server.ts";
import { WorkspaceServer } from "./server.ts";

export type OpenWorkspaceOptions = Omit<WorkspaceServerOptions, "configured"> & {
  readonly config: Config;
  readonly calls: Calls;
};

export class OpenWorkspace {
  readonly #config: Config;
  readonly #calls: Calls;
  readonly #servers: ReadonlyMap<string, WorkspaceServer>;
  readonly #names = new NameTable();
  readonly #pins = new Pins();
  /** What each server offered when listeners were last told; nothing for one that is away. */
  readonly #offered = new Map<string, ToolCatalog>();
  readonly #listeners = new Set<() => void>();
  readonly #released = new AbortController();
  #started: Promise<StartReport> | undefined;

  constructor({ config, calls, state, ...shared }: OpenWorkspaceOptions) {
    this.#config = config;
    this.#calls = calls;
    const stated = (fact: HostFact) => {
      state(fact);
      if ("server" in fact && this.#offersAnew(fact.server)) for (const listener of this.#listeners) listener();
    };
    const configured = [...config.servers.values()];
    const servers = configured.map((one) => new WorkspaceServer({ ...shared, configured: one, state: stated }));
    this.#servers = new Map(servers.map((server) => [server.id, server]));
  }

  status(): ServerStatus[] {
    this.#connected();
    const nameless = this.#names.collisions();
    return [...this.#servers.values()].map((server) => {
      const status = server.status();
      const dropped = nameless.filter((one) => one.server === server.id).map(({ tool, reason }) => ({ tool, reason }));
      if (dropped.length === 0) return status;
      return { ...status, dropped_tools: [...(status.dropped_tools ?? []), ...dropped] };
    });
  }

  problems(): ConfigProblem[] {
    return [...this.#config.problems];
  }

  start(): Promise<StartReport> {
    this.#started = this.#startAll();
    return this.#started;
  }

  /** Resolves when what was started is ready or has failed; at once if nothing was. */
  async started(): Promise<void> {
    await this.#started;
  }

  async #startAll(): Promise<StartReport> {
    const ready: string[] = [];
    const errors: { [server: string]: HostErrorJson } = {};
    const wanted = [...this.#servers.values()].filter((server) => server.status().state !== "disabled");
    await Promise.all(
      wanted.map(async (server) => {
        try {
          const connection = this.#server(server.id).lease();
          // Whoever starts a workspace wants what was given up tried again.
          await (isGivenUp(connection) ? connection.retry() : connection.ready());
          ready.push(server.id);
        } catch (error) {
          errors[server.id] = relabel(toHostError(error), server.id).toJSON();
        }
      }),
    );
    return { ready, errors };
  }

  async connect(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    const server = this.#server(id);
    try {
      // Whoever says so has reason to think that it works now.
      await server.lease().retry(signal);
    } catch (error) {
      throw relabel(toHostError(error), id);
    }
    return server.status();
  }

  async disconnect(id: string): Promise<void> {
    await this.#server(id).release();
  }

  /** What the model may see: a tool that is denied whatever its arguments is not offered. */
  tools(): OfferedTool[] {
    const { rules } = this.#config;
    return this.#connected().flatMap(({ id: server, connection }) =>
      connection
        .tools()
        .tools.filter(({ name: tool }) => !deniedOutright(rules, { server, tool }))
        .flatMap((definition) => {
          const name = this.#names.nameOf(server, definition.name);
          return name === undefined ? [] : [registeredTool({ name, server, origin: "mcp", definition }, this.#pins)];
        }),
    );
  }

  async call(ref: ToolRef, args: JsonObject, by: CallBy): Promise<ToolResult> {
    return this.#calls.call(this.#prepare(ref, args), by);
  }

  /** Undriven: what the server asks comes back as an outcome. */
  async request(ref: ToolRef, args: JsonObject, by: CallBy, resumed?: Resumed): Promise<Outcome> {
    try {
      return await this.#calls.request({ ...this.#prepare(ref, args), resumed }, by);
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  /** Tells when what is offered may have changed. */
  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** For good: questions are withdrawn, and nothing is started any more. */
  async release(): Promise<void> {
    this.#released.abort();
    await Promise.all([...this.#servers.values()].map((server) => server.release()));
  }

  #prepare(ref: ToolRef, args: JsonObject): ResolvedCall {
    const { server, tool } = this.#resolve(ref);
    const connection = server.lease();
    const known = connection.state.phase === "ready";
    if (known && !connection.catalog.tools.some((offered) => offered.name === tool)) {
      throw this.#noTool(`${server.id}:${tool}`);
    }
    const { rules } = this.#config;
    const released = this.#released.signal;
    return { server: server.id, tool, arguments: args, connection, rules, released, ...server.timeouts };
  }

  #resolve(ref: ToolRef): { server: WorkspaceServer; tool: string } {
    if (typeof ref !== "string") return { server: this.#server(ref.server), tool: ref.tool };
    this.#connected();
    const pair = this.#names.resolve(ref);
    if (pair) return { server: this.#server(pair.server), tool: pair.tool };
    const colon = ref.indexOf(":");
    if (colon < 0) throw this.#noTool(ref);
    return { server: this.#server(ref.slice(0, colon)), tool: ref.slice(colon + 1) };
  }

  #server(id: string): WorkspaceServer {
    if (this.#released.signal.aborted) throw new HostError("HOST_CLOSED", {});
    const server = this.#servers.get(id);
    if (!server) throw new HostError("SERVER_UNKNOWN", { server: id, known: [...this.#servers.keys()] });
    return server;
  }

  /** Those that offer something now, their names up to date. */
  #connected(): { id: string; connection: Connection }[] {
    const connected: { id: string; connection: Connection }[] = [];
    for (const { id, connection } of this.#servers.values()) {
      // The names of a server that is away stay: a call by one of them brings it back.
      if (!connection?.offering) continue;
      this.#names.update(id, connection.catalog.tools);
      connected.push({ id, connection });
    }
    return connected;
  }

  #offersAnew(id: string): boolean {
    const catalog = this.#servers.get(id)?.connection?.catalog;
    const offered = catalog?.tools.length ? catalog : undefined;
    if (this.#offered.get(id) === offered) return false;
    if (offered) this.#offered.set(id, offered);
    else this.#offered.delete(id);
    return true;
  }

  #noTool(tool: string): HostError {
    const offered = this.tools();
    const near = nearest(tool, tool.includes(":") ? offered.map((o) => `${o.server}:${o.tool}`) : this.#names.names());
    return new HostError("TOOL_NOT_FOUND", { tool, ...(near !== undefined && { near }) });
  }
}

function isGivenUp({ state: { phase } }: Connection): boolean {
  return phase === "error" || phase === "auth_required";
}
