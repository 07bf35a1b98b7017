/** One folder's view of the host: its configured servers, the names of their tools, its rules. Knows no caller. */
import { HostError, toHostError } from "@plugboard/contracts";
import type {
  ConfigProblem,
  HostErrorJson,
  JsonObject,
  OfferedTool,
  ServerStatus,
  StartReport,
  ToolRef,
  ToolResult,
} from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import type { CallBy, Calls } from "../calls/calls.ts";
import type { Config } from "../config/read-config.ts";
import { NameTable } from "../names/name-table.ts";
import { nearest } from "../names/nearest.ts";
import { evaluate } from "../policy/evaluate.ts";
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

  constructor({ config, calls, ...shared }: OpenWorkspaceOptions) {
    this.#config = config;
    this.#calls = calls;
    const servers = [...config.servers.values()].map((configured) => new WorkspaceServer({ ...shared, configured }));
    this.#servers = new Map(servers.map((server) => [server.id, server]));
  }

  status(): ServerStatus[] {
    return [...this.#servers.values()].map((server) => server.status());
  }

  problems(): ConfigProblem[] {
    return [...this.#config.problems];
  }

  async start(): Promise<StartReport> {
    const ready: string[] = [];
    const errors: { [server: string]: HostErrorJson } = {};
    const wanted = [...this.#servers.values()].filter((server) => server.status().state !== "disabled");
    await Promise.all(
      wanted.map(async (server) => {
        try {
          await server.lease().ready();
          ready.push(server.id);
        } catch (error) {
          errors[server.id] = toHostError(error).toJSON();
        }
      }),
    );
    return { ready, errors };
  }

  async connect(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    const server = this.#server(id);
    await server.lease().ready(signal);
    return server.status();
  }

  async disconnect(id: string): Promise<void> {
    await this.#server(id).release();
  }

  /** What the model may see: a tool that is denied whatever its arguments is not offered. */
  tools(): OfferedTool[] {
    const { rules } = this.#config;
    return this.#connected().flatMap(({ id: server, connection }) =>
      connection.catalog.tools
        .filter(({ name: tool }) => evaluate(rules, { server, tool }, "program").effect !== "deny")
        .map(({ name: tool, description = "", ...rest }) => ({
          ...rest,
          name: this.#names.nameOf(server, tool)!,
          server,
          tool,
          description,
        })),
    );
  }

  async call(ref: ToolRef, args: JsonObject, by: CallBy): Promise<ToolResult> {
    const { server, tool } = this.#resolve(ref);
    const connection = server.lease();
    const known = connection.state.phase === "ready";
    if (known && !connection.catalog.tools.some((offered) => offered.name === tool)) {
      throw this.#noTool(`${server.id}:${tool}`);
    }
    const { rules } = this.#config;
    return this.#calls.call({ server: server.id, tool, arguments: args, connection, rules, ...server.timeouts }, by);
  }

  async release(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.release()));
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
    const server = this.#servers.get(id);
    if (!server) throw new HostError("SERVER_UNKNOWN", { server: id, known: [...this.#servers.keys()] });
    return server;
  }

  /** Those with a connection, their names up to date. */
  #connected(): { id: string; connection: Connection }[] {
    const connected: { id: string; connection: Connection }[] = [];
    for (const { id, connection } of this.#servers.values()) {
      if (!connection) continue;
      this.#names.update(id, connection.catalog);
      connected.push({ id, connection });
    }
    return connected;
  }

  #noTool(tool: string): HostError {
    const offered = this.tools();
    const near = nearest(tool, tool.includes(":") ? offered.map((o) => `${o.server}:${o.tool}`) : this.#names.names());
    return new HostError("TOOL_NOT_FOUND", { tool, ...(near !== undefined && { near }) });
  }
}
