/**
 * The connections of a server whose clients don't share a connection (`share: "caller"`). The first client uses the
 * connection that lists the server's tools. Every other client gets a connection of its own, and so does every client
 * with roots of its own. Their number is limited per principal and in total, because each connection may be a process.
 */
import { canonicalJson, findEntryToGive, HostError, OWNER, steadyNow } from "@plugboard/contracts";
import type { Root, Clock } from "@plugboard/contracts";
import type { Connection, ConnectionSettings } from "@plugboard/mcp";

/** The default idle time after which a client's own server process is stopped. */
export const CLIENT_IDLE_MS = 5 * 60_000;

/** How many clients of one principal may have a connection of their own to one server. */
const MAX_PER_PRINCIPAL = 8;
/** How many clients of all principals together may have a connection of their own to one server. */
const MAX_CLIENTS = 32;
/**
 * A connection that a client asked for within this time counts as in use, because the client may be about to use it.
 */
const RECENT_MS = 2000;

/** A client of a server. */
export interface PoolClient {
  readonly id: string;
  /** The owner of the client. A principal may have several clients. */
  readonly principal: string;
  /** The principal that the connection counts for in the total. All clients without a token count for the owner. */
  readonly countsFor: string;
  /** True if the client was not asked for its roots. Its server then keeps the roots of the last request. */
  readonly keepsRoots?: boolean | undefined;
}

export interface UnsharedConnection {
  readonly connection: Connection;
  readonly unsubscribeCredentials: () => void;
}

/** Opens a connection whose server gets the roots of the client, or the roots of the workspace if `roots` has none. */
type OpenForClient = (roots: () => readonly Root[] | undefined) => UnsharedConnection;

interface TrackedConnection extends UnsharedConnection {
  usedAt: number;
  readonly client: PoolClient;
  readonly state: ClientState;
}

interface ClientState {
  roots: readonly Root[] | undefined;
}

export class UnsharedConnections {
  readonly #server: string;
  /** The connection that lists the server's tools. `#firstClient` uses it too. */
  readonly #first: Connection;
  readonly #open: OpenForClient;
  readonly #clock: Clock;
  readonly #others = new Map<string, TrackedConnection>();
  #firstClient: string | undefined;

  /** `server` is the name of the server in errors. */
  constructor(server: string, first: Connection, open: OpenForClient, clock: Clock) {
    this.#server = server;
    this.#first = first;
    this.#open = open;
    this.#clock = clock;
  }

  /**
   * Returns the connection of the client, which opens with its first request. At the limit per principal, an unused
   * connection of the same principal is stopped. At the total limit, an unused connection of the principal with the
   * most connections is stopped. Throws TOO_MANY_CLIENTS if there is none to stop.
   */
  get(client: PoolClient, roots?: readonly Root[]): Connection {
    let found = this.#others.get(client.id);
    if (!found && !roots) {
      this.#firstClient ??= client.id;
      if (this.#firstClient === client.id) return this.#first;
    }
    const now = steadyNow(this.#clock);
    if (!found) {
      this.#forgetUnused(now);
      this.#makeRoom(client, now);
      const state: ClientState = { roots };
      this.#others.set(client.id, (found = { ...this.#open(() => state.roots), client, state, usedAt: now }));
    }
    found.usedAt = now;
    if (!client.keepsRoots) updateRoots(found, roots);
    return found.connection;
  }

  /** Stops the own connection of a client that has ended, if there is one. */
  async forget(client: string): Promise<void> {
    if (this.#others.has(client)) await this.#stop(client);
  }

  /** Stops the own connections of all clients of a principal. */
  async forgetPrincipal(principal: string): Promise<void> {
    const own = [...this.#others.values()].filter(({ client }) => client.principal === principal);
    await Promise.all(own.map(({ client }) => this.#stop(client.id)));
  }

  /** Resolves when no connection is in use, or when the limits are reached. */
  async whenUnused(limits: Parameters<Connection["whenUnused"]>[0]): Promise<void> {
    await Promise.all([...this.#others.values()].map(({ connection }) => connection.whenUnused(limits)));
  }

  /** Changes the settings of all connections except the first, which the pool changes. */
  updateSettings(settings: ConnectionSettings): void {
    for (const { connection } of this.#others.values()) connection.updateSettings(settings);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#others.keys()].map((client) => this.#stop(client)));
  }

  /** Forgets connections that were closed because their client did not use them. */
  #forgetUnused(now: number): void {
    for (const [client, { connection, usedAt }] of this.#others) {
      if (connection.state.phase === "idle" && now - usedAt > CLIENT_IDLE_MS) void this.#stop(client);
    }
  }

  /** If there are too many connections, stops the one that was not used for the longest time. */
  #makeRoom({ principal, countsFor }: PoolClient, now: number): void {
    const byUse = [...this.#others.values()].toSorted((a, b) => a.usedAt - b.usedAt);
    const own = byUse.filter(({ client }) => client.principal === principal);
    const isPrincipalFull = own.length >= MAX_PER_PRINCIPAL;
    if (!isPrincipalFull && byUse.length < MAX_CLIENTS) return;
    const inUse = ({ connection, usedAt }: TrackedConnection) => connection.inUse || now - usedAt < RECENT_MS;
    const given = isPrincipalFull
      ? undefined
      : findEntryToGive(byUse, countsFor, { principalOf: ({ client }) => client.countsFor, inUse });
    const stopped = given ?? own.find((connection) => !inUse(connection));
    if (stopped) return void this.#stop(stopped.client.id);
    if (!isPrincipalFull && countsFor === OWNER.id) return;
    throw new HostError("TOO_MANY_CLIENTS", {
      server: this.#server,
      limit: isPrincipalFull ? MAX_PER_PRINCIPAL : MAX_CLIENTS,
      ...(isPrincipalFull && { byCaller: true }),
    });
  }

  async #stop(client: string): Promise<void> {
    const { connection, unsubscribeCredentials } = this.#others.get(client)!;
    this.#others.delete(client);
    unsubscribeCredentials();
    await connection.stop();
  }
}

/** Tells the server if the client has other roots than at its last request. */
function updateRoots({ state, connection }: TrackedConnection, roots: readonly Root[] | undefined): void {
  if (roots === state.roots || canonicalJson(roots ?? null) === canonicalJson(state.roots ?? null)) return;
  state.roots = roots;
  connection.notifyRootsChanged();
}
