/**
 * Divides the requests that may be in progress at one server among its clients. Every principal may use half of the
 * capacity that others have left, and every client half of its principal's part, so that there is always room for one
 * more. Pure: no clock, no I/O.
 */
import { accountOf } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";

/** The requests that may be in progress at one server, as in `outgoing-requests.ts`. */
const CAPACITY = 1024;

/** The requests of one client at one server. */
export interface ClientLoad {
  readonly client: string;
  readonly caller: Caller;
  readonly principal: PrincipalLoad;
  readonly unlimited: boolean;
  running: number;
  waiting: number;
  /** When the client had its last turn, or appeared. Counts events, so that clients are served in turn. */
  servedAt: number;
}

interface PrincipalLoad {
  readonly id: string;
  /** The number of its clients with requests. */
  clients: number;
  running: number;
  /** The same for all clients of the principal together. */
  servedAt: number;
}

/** Orders clients by who is served next. Principals take turns first, so that many clients don't get more of them. */
export function compareTurns(a: ClientLoad, b: ClientLoad): number {
  return a.principal.servedAt - b.principal.servedAt || a.servedAt - b.servedAt;
}

export class FairShare {
  readonly #clients = new Map<string, ClientLoad>();
  readonly #principals = new Map<string, PrincipalLoad>();
  #total = 0;
  /** The client that was the last to have no requests. It is remembered, because most clients make one call after another. */
  #idle: ClientLoad | undefined;
  /** The number of turns and of new clients so far. */
  #events = 0;

  /** `client` tells the clients of one principal apart. By default each caller is a client. */
  loadOf(caller: Caller, client = caller.id): ClientLoad {
    return this.#clients.get(client) ?? this.#returning(caller, client) ?? this.#addClient(caller, client);
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
    this.forgetIdle(load);
  }

  /** Forgets a client without requests. */
  forgetIdle(load: ClientLoad): void {
    const { client, principal, running, waiting } = load;
    if (running > 0 || waiting > 0 || !this.#clients.delete(client)) return;
    principal.clients -= 1;
    if (principal.clients === 0) this.#principals.delete(principal.id);
    this.#idle = load;
  }

  /** Uses the object of the client that became idle last again, as if the client were new. */
  #returning(caller: Caller, client: string): ClientLoad | undefined {
    const load = this.#idle;
    if (load?.caller !== caller || load.client !== client || this.#principals.size > 0) return undefined;
    const { principal } = load;
    this.#idle = undefined;
    this.markServed(load);
    principal.clients = 1;
    this.#principals.set(principal.id, principal);
    this.#clients.set(client, load);
    return load;
  }

  #addClient(caller: Caller, client: string): ClientLoad {
    const id = accountOf(caller);
    // A new client comes after those that wait. Otherwise clients that come and go would always be first.
    const servedAt = ++this.#events;
    const principal = this.#principals.get(id) ?? { id, clients: 0, running: 0, servedAt };
    principal.clients += 1;
    this.#principals.set(id, principal);
    // A program that embeds the host shares it with nobody else.
    const unlimited = caller.kind === "program";
    const load: ClientLoad = { client, caller, principal, unlimited, running: 0, waiting: 0, servedAt };
    this.#clients.set(client, load);
    return load;
  }
}
