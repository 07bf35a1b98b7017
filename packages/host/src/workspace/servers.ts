/**
 * The servers of a workspace: which there are, by the config as it is now, and
 * what may be done with them. Only those whose definition changed are touched
 * when the config does.
 */
import { setMaxListeners } from "node:events";
import { HostError } from "@plugboard/contracts";
import type { ServerStatus, StartReport } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import { canonicalDigest } from "../canonical-digest.ts";
import type { ConfiguredServer, ServerDefinition } from "../config/definition.ts";
import { nearest } from "../names/nearest.ts";
import { relabelled, WorkspaceServer } from "./server.ts";
import type { WorkspaceServerOptions } from "./server.ts";

export type ServersOptions = Omit<WorkspaceServerOptions, "configured"> & {
  /** Told when a server is no longer there at all. */
  readonly onGone: (id: string) => void;
};

export interface Applied {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export class Servers {
  readonly #options: ServersOptions;
  #servers: ReadonlyMap<string, WorkspaceServer> = new Map();
  #released = false;

  constructor(options: ServersOptions) {
    this.#options = options;
  }

  all(): Iterable<WorkspaceServer> {
    return this.#servers.values();
  }

  get(id: string): WorkspaceServer {
    if (this.#released) throw new HostError("HOST_CLOSED", {});
    const server = this.#servers.get(id);
    if (server) return server;
    const known = [...this.#servers.keys()];
    const near = nearest(id, known);
    throw new HostError("SERVER_UNKNOWN", { server: id, known, ...(near !== undefined && { near }) });
  }

  find(id: string): WorkspaceServer | undefined {
    return this.#servers.get(id);
  }

  /** Those that are gone, or are others now, are let go of, which may take its time. */
  apply(configured: Iterable<ConfiguredServer>): { readonly applied: Applied; readonly released: Promise<unknown> } {
    const before = this.#servers;
    const after = new Map<string, WorkspaceServer>();
    const [added, changed, over]: [string[], string[], WorkspaceServer[]] = [[], [], []];
    for (const one of configured) {
      const old = before.get(one.id);
      const stays = old && hasSameLink(old.configured, one);
      after.set(one.id, stays ? old : new WorkspaceServer({ ...this.#options, configured: one }));
      if (!old) added.push(one.id);
      if (!old || isSame(old.configured, one)) continue;
      changed.push(one.id);
      if (stays) old.redefine(one);
      else over.push(old);
    }
    const removed = [...before.keys()].filter((id) => !after.has(id));
    this.#servers = after;
    for (const id of removed) this.#options.onGone(id);
    for (const old of over) after.get(old.id)!.succeed(old);
    const gone = [...over, ...removed.map((id) => before.get(id)!)];
    return { applied: { added, removed, changed }, released: Promise.all(gone.map((server) => server.release())) };
  }

  /** Those that are enabled, at once, each for itself; one that fails is told of and holds up no other. */
  async start(servers: readonly WorkspaceServer[], signal?: AbortSignal): Promise<StartReport> {
    // Each of them listens to it.
    if (signal) setMaxListeners(0, signal);
    const started = await Promise.all(
      servers.map(async (server) => ({ server, end: await this.#start(server, signal) })),
    );
    const errors = started.flatMap(({ server, end }) => (end instanceof HostError ? [[server.id, end.toJSON()]] : []));
    const ready = started.flatMap(({ server, end }) => (end === "ready" ? [server.id] : []));
    return { ready, errors: Object.fromEntries(errors) as StartReport["errors"] };
  }

  /** Whoever says so has reason to think that it works now. */
  connect(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#with(id, (connection) => connection.retry(signal));
  }

  reconnect(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#with(id, (connection) => connection.reconnect(signal));
  }

  refresh(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#with(id, (connection) => connection.refresh(signal));
  }

  async release(): Promise<void> {
    this.#released = true;
    await Promise.all([...this.all()].map((server) => server.release()));
  }

  /** One that starts lazily is only looked at, if it is known what it offers. */
  async #start(server: WorkspaceServer, signal: AbortSignal | undefined): Promise<"ready" | "left" | HostError> {
    try {
      const { enabled, start } = server.definition;
      if (!enabled) return "left";
      const connection = await this.get(server.id).lease();
      if (start === "lazy" && connection.known) return "left";
      // Whoever starts a workspace wants what was given up tried again.
      await (isGivenUp(connection) ? connection.retry(signal) : connection.ready(signal));
      return "ready";
    } catch (error) {
      return relabelled(error, server.id);
    }
  }

  async #with(id: string, work: (connection: Connection) => Promise<unknown>): Promise<ServerStatus> {
    const server = this.get(id);
    try {
      await work(await server.lease());
    } catch (error) {
      throw relabelled(error, id);
    }
    return server.status();
  }
}

function isSame(a: ConfiguredServer, b: ConfiguredServer): boolean {
  return canonicalDigest(a) === canonicalDigest(b);
}

/** What is decided call by call, or about the tools: a connection does not depend on it. */
const BESIDE_THE_LINK: ReadonlySet<string> = new Set<keyof ServerDefinition>([
  "tools",
  "trustAnnotations",
  "maxTimeoutMs",
  "resultLimitBytes",
]);

function hasSameLink(a: ConfiguredServer, b: ConfiguredServer): boolean {
  const link = ({ id, source, folder, switchedOnBy, definition }: ConfiguredServer) => ({
    from: [id, source, folder, switchedOnBy ?? null],
    definition: Object.entries(definition).filter(([key]) => !BESIDE_THE_LINK.has(key)),
  });
  return canonicalDigest(link(a)) === canonicalDigest(link(b));
}

function isGivenUp({ state: { phase } }: Connection): boolean {
  return phase === "error" || phase === "auth_required";
}
