/**
 * Passes the requests of gateway clients to the servers of a workspace, except tool calls. Lists and results have all
 * fields that the servers sent. Questions of servers are returned as outcomes.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { LogEntry, LogLevel, Prompt, Resource, ResourceTemplate } from "@plugboard/contracts";
import type {
  Ask,
  AskAnswer,
  Change,
  ChangeFilter,
  ChangeSubscription,
  Connection,
  Outcome,
  ServerInfo,
} from "@plugboard/mcp";
import type { ClientContext, RequestContext } from "../calls/ask-user.ts";
import { renameServerInError } from "../calls/rename-server-in-error.ts";
import type { ServerRequest, WatchedRequest } from "../calls/server-requests.ts";
import { listAcrossServers } from "../catalog/list-across-servers.ts";
import type { CatalogPorts, ListMethod } from "../catalog/list-across-servers.ts";
import type { ContentChanges } from "./content-changes.ts";
import type { ServerAccess } from "./server-access.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

export interface ServerForwardingOptions {
  readonly access: ServerAccess;
  readonly ports: CatalogPorts;
  readonly changes: () => ContentChanges;
}

/** A server, as it described itself at its last connection. */
export interface ForwardedServer extends Partial<Pick<ServerInfo, "capabilities" | "instructions">> {
  readonly id: string;
  /** Whether all clients share one connection, or each has its own. */
  readonly share: "all" | "caller";
}

interface ListKinds {
  readonly resources: Resource;
  readonly templates: ResourceTemplate;
  readonly prompts: Prompt;
}
type ListKind = keyof ListKinds;

interface ListRow<K extends ListKind> extends ListMethod<ListKinds[K]> {
  readonly part: "resources" | "prompts";
}

const LIST_METHODS: { readonly [K in ListKind]: ListRow<K> } = {
  resources: { method: "resources/list", part: "resources", list: (connection) => connection.resources() },
  templates: { method: "resources/templates/list", part: "resources", list: (connection) => connection.templates() },
  prompts: { method: "prompts/list", part: "prompts", list: (connection) => connection.prompts() },
};

export class ServerForwarding {
  readonly #options: ServerForwardingOptions;

  constructor(options: ServerForwardingOptions) {
    this.#options = options;
  }

  /** Returns the visible servers, in the order of the config. */
  servers(): ForwardedServer[] {
    return [...this.#options.access.visible()].map(({ id, definition, connection }) => ({
      ...connection?.serverInfo,
      id,
      share: definition.share,
    }));
  }

  /**
   * Lists the resources, templates or prompts of the servers that `includes` accepts. Leaves out servers that have
   * failed, and servers that are known not to offer such a list. If a server is too slow, the next list includes it.
   */
  async list<K extends ListKind>(
    kind: K,
    includes: (server: string) => boolean,
    signal?: AbortSignal,
  ): Promise<(ListKinds[K] & { readonly server: string })[]> {
    const { access, ports } = this.#options;
    const { method, part, list }: ListRow<K> = LIST_METHODS[kind];
    const listed = new Set<string>();
    for (const server of access.visible()) if (includes(server.id) && mayOffer(server, part)) listed.add(server.id);
    const targets = {
      ...ports.targets,
      all: () => [...ports.targets.all()].filter(({ server }) => listed.has(server)),
    };
    const { items } = await listAcrossServers({ ...ports, targets }, { method, list }, { signal });
    return items;
  }

  /** Never rejects. */
  async request(server: string, request: ServerRequest, context: RequestContext): Promise<Outcome> {
    const { targets, requests } = this.#options.ports;
    let outcome: Outcome;
    try {
      outcome = await requests.request(request, targets.get(server, request.method), context);
    } catch (thrown) {
      outcome = { type: "failed", error: toHostError(thrown) };
    }
    return outcome.type === "failed" ? { type: "failed", error: renameServerInError(outcome.error, server) } : outcome;
  }

  /**
   * Asks a user who watches the inbox, because the client that made the request can't be asked. If a principal has
   * logged in itself, the owner is not asked: at the server, the answer would count as the principal's.
   */
  async askWatchers(ask: Ask, request: WatchedRequest, signal: AbortSignal): Promise<AskAnswer> {
    if (this.#options.access.get(request.server).ownLogin) return { action: "cancel" };
    return this.#options.ports.requests.askWatchers(ask, request, signal);
  }

  /**
   * Reports changes of single resources and tasks of a server, until the subscription is stopped. Connects
   * the server. Tasks are watched on the connection of their client: with `share: "caller"`, other
   * connections may reuse the same task ids.
   */
  watch(
    server: string,
    filter: ChangeFilter,
    onChange: (change: Change) => void,
    client?: Pick<ClientContext, "caller" | "client">,
  ): ChangeSubscription {
    let subscription: ChangeSubscription | undefined;
    let stopped = false;
    const start = async () => {
      const connection = await this.#options.ports.targets
        .get(server, "resources/subscribe")
        .lease(client && { ...client, keepsRoots: true });
      if (stopped) return;
      subscription = connection.listen(filter, onChange);
      await connection.ready();
      if (filter.uris && !connection.serverInfo?.capabilities.subscribe) {
        throw new HostError("NOT_OFFERED", { server, method: "resources/subscribe" });
      }
      await subscription.established;
    };
    const established = start().catch((thrown: unknown) => {
      throw renameServerInError(toHostError(thrown), server);
    });
    // Callers may ignore `established`, because the status of the server has the error too.
    established.catch(() => {});
    return {
      established,
      stop: () => {
        stopped = true;
        subscription?.stop();
      },
    };
  }

  /**
   * Reports log entries of the servers that `includes` accepts, until the subscription is stopped. Leaves out entries
   * that belong to a call or to another principal.
   */
  watchLogs(
    { level, principal }: { readonly level: LogLevel; readonly principal: string },
    includes: (server: string) => boolean,
    onLog: (server: string, entry: LogEntry) => void,
  ): ChangeSubscription {
    const { access, changes } = this.#options;
    const watched = new Map<Connection, () => void>();
    const watchNewConnections = () => {
      for (const { id, connection } of access.visible()) {
        if (!connection || watched.has(connection) || !includes(id)) continue;
        watched.set(connection, connection.listenLogs({ level, principal, onLog: (entry) => onLog(id, entry) }));
      }
    };
    watchNewConnections();
    const stopListening = changes().onServersChanged(watchNewConnections);
    return {
      stop: () => {
        stopListening();
        for (const stop of watched.values()) stop();
      },
    };
  }

  /**
   * Calls the listener when the resources or prompts may have changed. Returns the function that removes the listener.
   */
  onChanged(part: "resources" | "prompts", listener: () => void): () => void {
    return this.#options.changes().onChanged(part, listener);
  }
}

function mayOffer({ connection }: WorkspaceServer, part: "resources" | "prompts"): boolean {
  if (!connection) return false;
  const { phase } = connection.state;
  if (!connection.catalogAvailable && phase !== "connecting") return false;
  return connection.serverInfo?.capabilities[part] !== false;
}
