/**
 * The clients of one gateway: who they say they are, and how many calls they have made. A client of stdio is connected
 * until its stream ends. Some HTTP clients have no session, and others often don't end theirs, so an HTTP client
 * is listed while it has an open request and a while after it.
 */
import { compoundKey, findOldestOfLargest, principalIdOf, steadyNow } from "@plugboard/contracts";
import type { Caller, ConnectedClient, Clock } from "@plugboard/contracts";
import type { FrontClient, Revision } from "@plugboard/mcp";

export interface ConnectedFrontsOptions {
  readonly clock: Clock;
  readonly profile?: string | undefined;
  /** Called after clients were added, removed or renamed, but not for each call. Reports several changes together. */
  readonly onChange?: (() => void) | undefined;
}

/** How long an HTTP client is listed after its last request. */
const RECENT_MS = 5 * 60_000;
/** How long a report waits, to collect several changes. */
const REPORT_MS = 100;
/** A client can give itself another name with each request, so the number is limited. */
const MAX_FRONTS = 1000;

interface Front {
  caller: Caller;
  readonly connectedAt: number;
  client: FrontClient | undefined;
  openRequests: number;
  /**
   * When its last request ended, on the steady clock. Undefined before that, and once the client is no longer listed.
   */
  lastRequestEndedAt: number | undefined;
  calls: number;
  lastCallAt: number | undefined;
}

export class ConnectedFronts {
  readonly #options: ConnectedFrontsOptions;
  /** By the id of the caller. HTTP clients without a session are found by token and name. */
  readonly #fronts = new Map<string, Front>();
  #cancelReport: (() => void) | undefined;
  #cancelSweep: (() => void) | undefined;
  #closed = false;

  constructor(options: ConnectedFrontsOptions) {
    this.#options = options;
  }

  get list(): readonly ConnectedClient[] {
    const merged = new Map<string, ConnectedClient>();
    for (const [key, front] of this.#fronts) {
      if (!this.#isListed(front)) continue;
      const shown = this.#describe(front);
      const { name, version, revision } = shown;
      const { principal } = front.caller;
      const identity = principal ? JSON.stringify([principal.id, name, version, revision]) : key;
      const other = merged.get(identity);
      merged.set(identity, other ? mergeSessions(other, shown) : shown);
    }
    return [...merged.values()].sort((a, b) => a.connectedAt - b.connectedAt);
  }

  /** Adds a client of stdio. Returns a function that removes it. */
  connect(caller: Caller): () => void {
    this.#add(caller.id, caller).openRequests++;
    return () => this.remove(caller.id);
  }

  /** Lists the client if it is new. Returns a function that ends the request. */
  beginRequest(caller: Caller, client: FrontClient): () => void {
    const key = keyOf(caller, client.revision);
    const front = this.#fronts.get(key) ?? this.#add(key, caller);
    const isKnown = front.client !== undefined && front.caller.client === caller.client && this.#isListed(front);
    if (!isKnown) this.#report();
    front.caller = caller;
    front.client = client;
    front.openRequests++;
    return () => {
      front.openRequests--;
      front.lastRequestEndedAt = steadyNow(this.#options.clock);
      this.#scheduleSweep(RECENT_MS);
    };
  }

  countCall(caller: Caller, revision: Revision): void {
    const front = this.#fronts.get(keyOf(caller, revision));
    if (!front) return;
    front.calls++;
    front.lastCallAt = this.#options.clock.now();
  }

  /** Removes a client whose stream or session has ended. */
  remove(callerId: string): void {
    if (this.#fronts.delete(callerId)) this.#report();
  }

  /** Removes the clients of a revoked token. */
  removePrincipal(principal: string): void {
    for (const [key, { caller }] of this.#fronts) if (caller.principal?.id === principal) this.remove(key);
  }

  /** Reports the last changes at once. */
  close(): void {
    this.#closed = true;
    this.#cancelSweep?.();
    this.#cancelReport?.();
    const hasChanged = this.#cancelReport !== undefined || this.#fronts.size > 0;
    this.#fronts.clear();
    if (hasChanged) this.#options.onChange?.();
  }

  #add(key: string, caller: Caller): Front {
    if (this.#fronts.size >= MAX_FRONTS) this.#forgetIdle();
    const { clock } = this.#options;
    const front: Front = {
      caller,
      connectedAt: clock.now(),
      client: undefined,
      openRequests: 0,
      lastRequestEndedAt: undefined,
      calls: 0,
      lastCallAt: undefined,
    };
    if (this.#fronts.size < MAX_FRONTS) this.#fronts.set(key, front);
    this.#report();
    return front;
  }

  /** Removes the oldest idle client of the token with most idle clients. So a token with many replaces its own. */
  #forgetIdle(): void {
    const idle = [...this.#fronts].filter(([, { openRequests }]) => openRequests === 0);
    const evicted = findOldestOfLargest(idle, ([, { caller }]) => principalIdOf(caller));
    if (evicted) this.#fronts.delete(evicted[0]);
  }

  #isListed({ openRequests, lastRequestEndedAt: endedAt }: Front): boolean {
    if (openRequests > 0) return true;
    return endedAt !== undefined && steadyNow(this.#options.clock) - endedAt < RECENT_MS;
  }

  #describe({ caller, client, connectedAt, calls, lastCallAt }: Front): ConnectedClient {
    const { principal, client: name } = caller;
    const { profile } = this.#options;
    return {
      transport: principal === undefined ? "stdio" : "http",
      ...(principal !== undefined && { token: principal.name }),
      ...(name !== undefined && { name }),
      ...(client?.version !== undefined && { version: client.version }),
      ...(client && { era: client.revision.era, revision: client.revision.name }),
      ...(profile !== undefined && { profile }),
      connectedAt,
      calls,
      ...(lastCallAt !== undefined && { lastCallAt }),
    };
  }

  #report(): void {
    const { clock, onChange } = this.#options;
    if (!onChange || this.#cancelReport || this.#closed) return;
    const report = () => {
      this.#cancelReport = undefined;
      onChange();
    };
    this.#cancelReport = clock.after(REPORT_MS, report, { background: true });
  }

  /** Schedules the check for clients that are no longer listed. All share one timer, so that a request needs none. */
  #scheduleSweep(ms: number): void {
    if (this.#cancelSweep || this.#closed) return;
    this.#cancelSweep = this.#options.clock.after(ms, () => this.#sweep(), { background: true });
  }

  #sweep(): void {
    this.#cancelSweep = undefined;
    const now = steadyNow(this.#options.clock);
    let nextMs = Infinity;
    for (const [key, front] of this.#fronts) {
      if (front.openRequests > 0 || front.lastRequestEndedAt === undefined) continue;
      const restMs = front.lastRequestEndedAt + RECENT_MS - now;
      if (restMs > 0) nextMs = Math.min(nextMs, restMs);
      else if (!front.client?.revision.hasSessions) this.remove(key);
      else {
        // Hides the client, but keeps its number of calls for the next request of its session.
        front.lastRequestEndedAt = undefined;
        this.#report();
      }
    }
    if (nextMs < Infinity) this.#scheduleSweep(nextMs);
  }
}

function keyOf({ id, principal, client = "" }: Caller, { hasSessions }: Revision): string {
  return principal === undefined || hasSessions ? id : compoundKey(principal.id, client);
}

/** Merges two sessions of the same client. */
function mergeSessions(a: ConnectedClient, b: ConnectedClient): ConnectedClient {
  const lastCallAt = Math.max(a.lastCallAt ?? 0, b.lastCallAt ?? 0);
  return {
    ...a,
    connectedAt: Math.min(a.connectedAt, b.connectedAt),
    calls: a.calls + b.calls,
    ...(lastCallAt > 0 && { lastCallAt }),
  };
}
