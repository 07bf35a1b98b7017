/**
 * The sessions of legacy HTTP clients, at all URLs of a host. A session id is valid only for the principal that opened
 * the session, and for the handler of its URL. The number of sessions is limited, per principal and in total. At a
 * limit, a new session replaces the one that was unused for the longest time, if that time exceeds `idleMs`.
 * Otherwise:
 * - at the limit of the principal, the new session is rejected;
 * - at the total limit, it replaces a session of the principal with most sessions. Only the owner may exceed this
 *   limit.
 */
import { randomUUID } from "node:crypto";
import { cancelled, findEntryToGive, OWNER, steadyNow, systemClock } from "@plugboard/contracts";
import type { Caller, HostError, Principal, Clock } from "@plugboard/contracts";
import type { McpRequestHandler } from "../session/mcp-request-handler.ts";
import { LegacyServer } from "../dialect/legacy/legacy-server.ts";
import type { Message } from "../wire/message.ts";
import type { ResponseStream } from "../wire/response-stream.ts";
import type { CallStream } from "./call-stream.ts";

export interface HttpSession {
  readonly id: string;
  /** The principal that may use this session id. Its rights are those of the token that opened the session. */
  readonly principal: Principal;
  readonly handler: McpRequestHandler;
  readonly server: LegacyServer;
  /** The client's GET stream, for messages that belong to no call. */
  push: ResponseStream | undefined;
  /** The responses that are being sent or that the client may still resume, by their ids. */
  readonly streams: Map<string, CallStream>;
  /** When a request last named this session, on the steady clock. */
  usedAt: number;
  readonly openedAt: number;
  readonly onEnded: OnSessionEnded | undefined;
}

export interface SessionLimits {
  readonly perPrincipal: number;
  readonly total: number;
  /**
   * A session may be replaced when it was unused for this time. A client without an open stream may pause this long
   * between two requests.
   */
  readonly idleMs: number;
}

interface EndedSession {
  readonly id: string;
  readonly revision: string;
  readonly durationMs: number;
}

export type OnSessionEnded = (session: EndedSession) => void;

/** The limit that a new session would exceed. */
export interface SessionRefusal {
  readonly scope: "principal" | "total";
  readonly limit: number;
}

export interface NewSession {
  readonly handler: McpRequestHandler;
  readonly principal: Principal;
  readonly onEnded?: OnSessionEnded | undefined;
}

const DEFAULT_LIMITS: SessionLimits = { perPrincipal: 1000, total: 4000, idleMs: 30 * 60_000 };

export class HttpSessions {
  readonly #limits: SessionLimits;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, HttpSession>();

  constructor(clock: Clock = systemClock, limits: SessionLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Returns the number of open sessions with that handler. */
  count(handler: McpRequestHandler): number {
    return this.#of(handler).length;
  }

  /** Returns the limit that is reached if a session can't be opened. */
  open({ handler, principal, onEnded }: NewSession): HttpSession | SessionRefusal {
    const refusal = this.#makeRoom(principal);
    if (refusal) return refusal;
    const id = randomUUID();
    // Sends to the GET stream that is open at that time, if any.
    const push: ResponseStream = {
      send: (message: Message, revision, requestMethod) => session.push?.send(message, revision, requestMethod),
      end: () => {},
    };
    // Two clients may share a token, and one must not get the other's questions. So each session is a caller.
    const caller: Caller = { kind: "front", id, principal };
    const session: HttpSession = {
      id,
      principal,
      handler,
      push: undefined,
      usedAt: steadyNow(this.#clock),
      openedAt: steadyNow(this.#clock),
      onEnded,
      streams: new Map(),
      server: new LegacyServer({ handler, caller, push, clock: this.#clock }),
    };
    this.#sessions.set(id, session);
    return session;
  }

  #makeRoom(principal: Principal): SessionRefusal | undefined {
    const { perPrincipal, total } = this.#limits;
    const isOwn = (session: HttpSession) => session.principal.id === principal.id;
    const own = [...this.#sessions.values()].filter(isOwn);
    if (own.length >= perPrincipal && !this.#closeUnused(own)) return { scope: "principal", limit: perPrincipal };
    if (this.#sessions.size < total) return undefined;
    const all = oldestFirst(this.#sessions.values());
    if (this.#closeUnused(all)) return undefined;
    const evicted = findEntryToGive(all, principal.id, {
      principalOf: (session) => session.principal.id,
      inUse: isInUse,
    });
    if (evicted) this.close(evicted.id, cancelled("another client needed the session, and your token had the most"));
    return evicted || principal.id === OWNER.id ? undefined : { scope: "total", limit: total };
  }

  /**
   * Closes the session that was unused for the longest time. Returns false if all are in use, or were used recently.
   */
  #closeUnused(candidates: readonly HttpSession[]): boolean {
    const before = steadyNow(this.#clock) - this.#limits.idleMs;
    const unused = oldestFirst(candidates).find((session) => session.usedAt <= before && !isInUse(session));
    if (unused) this.close(unused.id);
    return unused !== undefined;
  }

  find(id: string, handler: McpRequestHandler, principal: Principal): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (session?.handler !== handler || session.principal.id !== principal.id) return undefined;
    session.usedAt = steadyNow(this.#clock);
    return session;
  }

  close(id: string, error?: HostError): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    if (!session) return;
    session.server.close(error);
    session.onEnded?.({
      id,
      revision: session.server.revision.name,
      durationMs: steadyNow(this.#clock) - session.openedAt,
    });
    session.push?.end();
  }

  /** Closes the sessions with that handler. If a principal is given, closes only its own. */
  closeAll(handler: McpRequestHandler, error?: HostError, principal?: string): void {
    for (const session of this.#of(handler))
      if (principal === undefined || session.principal.id === principal) this.close(session.id, error);
  }

  #of(handler: McpRequestHandler): HttpSession[] {
    return [...this.#sessions.values()].filter((session) => session.handler === handler);
  }
}

function oldestFirst(sessions: Iterable<HttpSession>): HttpSession[] {
  return [...sessions].sort((one, other) => one.usedAt - other.usedAt);
}

/** Returns true for a session with a pending call or an open stream. */
function isInUse({ server, push, streams }: HttpSession): boolean {
  return server.busy || push !== undefined || streams.size > 0;
}
