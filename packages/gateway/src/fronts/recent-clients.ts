/**
 * The clients that use the gateway over HTTP, of both eras, by the names of their tokens. Modern clients have no session,
 * and legacy ones often don't end theirs, so a client counts while it has an open request and a while after it.
 */
import { steadyNow } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";

/** How long a client counts after its last request. */
const RECENT_MS = 5 * 60_000;

interface RecentClient {
  openRequests: number;
  lastAt: number;
}

export class RecentClients {
  readonly #clock: Clock;
  readonly #clients = new Map<string, RecentClient>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get names(): readonly string[] {
    const since = steadyNow(this.#clock) - RECENT_MS;
    for (const [name, { openRequests, lastAt }] of this.#clients)
      if (openRequests === 0 && lastAt <= since) this.#clients.delete(name);
    return [...this.#clients.keys()];
  }

  /** Returns the function that ends the request. `isLast` says that the client has ended its session. */
  begin(name: string): (isLast: boolean) => void {
    const client = this.#clients.get(name) ?? { openRequests: 0, lastAt: 0 };
    this.#clients.set(name, client);
    client.openRequests++;
    return (isLast) => {
      client.openRequests--;
      client.lastAt = isLast ? -Infinity : steadyNow(this.#clock);
    };
  }
}
