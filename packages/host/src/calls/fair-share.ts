/**
 * Divides the requests that may be in progress at one server among its clients. Every principal may use half of the
 * capacity that the other principals leave, and every client half of what the other clients of its principal leave. So
 * there is always room for one more. Pure: no clock, no I/O.
 */
import { accountOf } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";

/** The requests that may be in progress at one server, as in `outgoing-requests.ts`. */
const CAPACITY = 1024;

/**
 * How many clients without requests are kept. Most clients make one call after another, so they will be needed again.
 */
const MAX_IDLE = 256;

/** The requests of one client at one server. */
export interface ClientLoad {
  readonly client: string;
  readonly caller: Caller;
  readonly principal: PrincipalLoad;
  readonly unlimited: boolean;
  running: number;
  waiting: number;
  /**
   * The number of the event at which the client had its last turn, or appeared. Clients with a lower number come first.
   */
  servedAt: number;
}

interface PrincipalLoad {
  readonly id: string;
  /** The number of its clients with requests. */
  active: number;
  running: number;
  waiting: number;
  /** The same number for all clients of the principal together. */
  servedAt: number;
}

/** Sorts the client that is served next first. Compares principals first, so that many clients don't get more turns. */
export function compareTurns(a: ClientLoad, b: ClientLoad): number {
  return a.principal.servedAt - b.principal.servedAt || a.servedAt - b.servedAt;
}

export class FairShare {
  readonly #clients = new Map<string, ClientLoad>();
  readonly #principals = new Map<string, PrincipalLoad>();
  /** The number of clients without requests. */
  #idle = 0;
  #total = 0;
  /** The number of turns and of new clients so far. */
  #events = 0;

  /**
   * Returns the load of a client that is about to start a request or to wait. `client` tells the clients of one
   * principal apart. By default each caller is a client.
   */
  loadOf(caller: Caller, client = caller.id): ClientLoad {
    const known = this.#clients.get(client);
    if (known && !isIdle(known)) return known;
    const load = known?.caller === caller ? known : this.#addClient(caller, client);
    this.#idle -= 1;
    // A new client comes after the waiting clients. Otherwise clients that come and go would always be first.
    load.servedAt = ++this.#events;
    if (load.principal.active === 0) load.principal.servedAt = load.servedAt;
    load.principal.active += 1;
    return load;
  }

  /** Returns how many requests of the client may be in progress now. */
  limitOf({ principal, running }: ClientLoad): number {
    const others = this.#total - principal.running;
    const ofPrincipal = Math.max(1, Math.floor((CAPACITY - others) / 2));
    return Math.max(1, Math.floor((ofPrincipal - (principal.running - running)) / 2));
  }

  hasRoom(load: ClientLoad): boolean {
    return load.unlimited || load.running < this.limitOf(load);
  }

  start(load: ClientLoad): void {
    load.running += 1;
    load.principal.running += 1;
    this.#total += 1;
    this.markServed(load);
  }

  /** Moves the client and its principal to the end of the order. Called when a turn begins and when it is over. */
  markServed(load: ClientLoad): void {
    load.servedAt = load.principal.servedAt = ++this.#events;
  }

  end(load: ClientLoad): void {
    load.running -= 1;
    load.principal.running -= 1;
    this.#total -= 1;
    this.releaseIfIdle(load);
  }

  /**
   * Called when a request has ended or given up waiting. A client without other requests no longer counts as active.
   */
  releaseIfIdle(load: ClientLoad): void {
    if (!isIdle(load)) return;
    load.principal.active -= 1;
    this.#idle += 1;
    if (this.#idle > MAX_IDLE) this.#forgetIdle();
  }

  #forgetIdle(): void {
    for (const [client, load] of this.#clients) if (isIdle(load)) this.#clients.delete(client);
    for (const [id, { active }] of this.#principals) if (active === 0) this.#principals.delete(id);
    this.#idle = 0;
  }

  #addClient(caller: Caller, client: string): ClientLoad {
    const id = accountOf(caller);
    const principal = this.#principals.get(id) ?? { id, active: 0, running: 0, waiting: 0, servedAt: 0 };
    this.#principals.set(id, principal);
    // A program that embeds the host shares it with nobody else.
    const unlimited = caller.kind === "program";
    const load: ClientLoad = { client, caller, principal, unlimited, running: 0, waiting: 0, servedAt: 0 };
    if (!this.#clients.has(client)) this.#idle += 1;
    this.#clients.set(client, load);
    return load;
  }
}

function isIdle({ running, waiting }: ClientLoad): boolean {
  return running === 0 && waiting === 0;
}
