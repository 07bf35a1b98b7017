/**
 * The connections of a server whose clients don't share one (`share: "caller"`). The first client uses the connection
 * that lists the server's tools. Every other client, and every client with roots of its own, gets a connection of its own.
 * Their number is limited, for each principal and in all, because each may be a process.
 */
import { canonicalJson, findEntryToGive, HostError, OWNER, steadyNow } from "@plugboard/contracts";
import type { Root, Clock } from "@plugboard/contracts";
import type { Connection, ConnectionSettings } from "@plugboard/mcp";

/** The default idle time after which a client's own server process is stopped. */
export const CLIENT_IDLE_MS = 5 * 60_000;

/** How many clients of one principal may have a connection of their own to one server. */
const MAX_PER_PRINCIPAL = 8;
/** How many clients may have a connection of their own to one server. */
const MAX_CLIENTS = 32;
/** A client that has got its connection so recently may be about to use it. */
const RECENT_MS = 2000;

/** A client of a server. */
export interface PoolClient {
  readonly id: string;
  /** The owner of the client, who may have several. */
  readonly principal: string;
  /** The principal that the connection counts for in the total. All clients without a token count for the owner. */
  readonly countsFor: string;
  /** True if the client was not asked for its roots, so that its server keeps those of the last request. */
  readonly keepsRoots?: boolean | undefined;
}

export interface UnsharedConnection {
  readonly connection: Connection;
  readonly unsubscribeCredentials: () => void;
}

/** Opens a connection whose server gets the roots of the client, or those of the workspace. */
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
   * Returns the connection of the client, which opens with its first request. At the limit for the principal, it replaces
   * an unused one of that principal. At the limit for all, it replaces one of the principal that has most. Throws
   * TOO_MANY_CLIENTS if there is none.
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

  /** Stops the connection of a client that has ended, if it has one of its own. */
  async forget(client: string): Promise<void> {
    if (this.#others.has(client)) await this.#stop(client);
  }

  /** Does the same for all clients of a principal. */
  async forgetPrincipal(principal: string): Promise<void> {
    const own = [...this.#others.values()].filter(({ client }) => client.principal === principal);
    await Promise.all(own.map(({ client }) => this.#stop(client.id)));
  }

  /** Resolves when no connection is in use, at the latest when the limits are reached. */
  async whenUnused(limits: Parameters<Connection["whenUnused"]>[0]): Promise<void> {
    await Promise.all([...this.#others.values()].map(({ connection }) => connection.whenUnused(limits)));
  }

  /** Changes the settings of all connections but the first one, which the caller changes. */
  updateSettings(settings: ConnectionSettings): void {
    for (const { connection } of this.#others.values()) connection.updateSettings(settings);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#others.keys()].map((client) => this.#stop(client)));
  }

  /** Forgets connections whose process was stopped because its client did not use it. */
  #forgetUnused(now: number): void {
    for (const [client, { connection, usedAt }] of this.#others) {
      if (connection.state.phase === "idle" && now - usedAt > CLIENT_IDLE_MS) void this.#stop(client);
    }
  }

  /** Stops a connection if there are too many: one that was not used for the longest time. */
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
