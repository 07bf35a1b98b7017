/**
 * The connections of a server whose clients don't share one (`share: "caller"`). The first client uses the connection
 * that lists the server's tools. Every other client gets a connection of its own.
 */
import { steadyNow } from "@plugboard/mcp";
import type { Clock, Connection } from "@plugboard/mcp";

/** The default idle time after which a client's own server process is stopped. */
export const CLIENT_IDLE_MS = 5 * 60_000;

export interface ClientConnection {
  readonly connection: Connection;
  readonly unsubscribeCredentials: () => void;
}

interface TrackedConnection extends ClientConnection {
  usedAt: number;
}

export class ClientConnections {
  readonly #first: Connection;
  readonly #open: () => ClientConnection;
  readonly #clock: Clock;
  readonly #others = new Map<string, TrackedConnection>();
  #firstClient: string | undefined;

  constructor(first: Connection, open: () => ClientConnection, clock: Clock) {
    this.#first = first;
    this.#open = open;
    this.#clock = clock;
  }

  /** Returns the connection of the client, which opens with its first request. */
  get(client: string): Connection {
    this.#firstClient ??= client;
    if (this.#firstClient === client) return this.#first;
    const now = steadyNow(this.#clock);
    let found = this.#others.get(client);
    if (!found) {
      this.#forgetUnused(now);
      this.#others.set(client, (found = { ...this.#open(), usedAt: now }));
    }
    found.usedAt = now;
    return found.connection;
  }

  /** Stops the connection of a client that has ended, if it has one of its own. */
  async forget(client: string): Promise<void> {
    if (this.#others.has(client)) await this.#stop(client);
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

  async #stop(client: string): Promise<void> {
    const { connection, unsubscribeCredentials } = this.#others.get(client)!;
    this.#others.delete(client);
    unsubscribeCredentials();
    await connection.stop();
  }
}
