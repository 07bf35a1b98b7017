/**
 * The sessions of legacy HTTP clients. A session id is valid only for the principal that opened the session. The number
 * of sessions is limited, for each principal and in all. Beyond the limit, a new session replaces one that was unused
 * for a long time, or is refused.
 */
import { randomUUID } from "node:crypto";
import { sameCaller } from "@plugboard/contracts";
import type { Caller, HostError } from "@plugboard/contracts";
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";
import type { McpRequestHandler } from "../session/mcp-request-handler.ts";
import { LegacyServer } from "../dialect/legacy/legacy-server.ts";
import type { Message } from "../wire/message.ts";
import type { ResponseStream } from "../wire/response-stream.ts";
import type { CallStream } from "./call-stream.ts";

export interface HttpSession {
  readonly id: string;
  /** The caller that may use this session id. */
  readonly principal: Caller;
  readonly server: LegacyServer;
  /** The client's GET stream, for messages that belong to no call. */
  push: ResponseStream | undefined;
  /** The responses that are being sent or that the client may still resume, by their ids. */
  readonly streams: Map<string, CallStream>;
  /** When a request last named this session, on the steady clock. */
  usedAt: number;
  readonly openedAt: number;
}

export interface SessionLimits {
  readonly perPrincipal: number;
  readonly total: number;
  /** A session may be replaced when it was unused for this time. Clients without an open stream may think that long. */
  readonly idleMs: number;
}

export type OnSessionEnded = (revision: string, durationMs: number) => void;

/** The limit that a new session would exceed. */
export interface SessionRefusal {
  readonly scope: "principal" | "total";
  readonly limit: number;
}

export class HttpSessions {
  readonly #limits: SessionLimits;
  readonly #clock: Clock;
  readonly #onEnded: OnSessionEnded | undefined;
  /** Ordered by last use. */
  readonly #sessions = new Map<string, HttpSession>();

  /** `onEnded` is called with the protocol revision and the duration of each session that has ended. */
  constructor(limits: SessionLimits, clock: Clock, onEnded?: OnSessionEnded) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onEnded = onEnded;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Returns the limit that is reached if a session can't be opened. */
  open(handler: McpRequestHandler, principal: Caller): HttpSession | SessionRefusal {
    const refusal = this.#makeRoom(principal);
    if (refusal) return refusal;
    const id = randomUUID();
    // Sends to the GET stream that is open at that time, if any.
    const push: ResponseStream = {
      send: (message: Message, revision, requestMethod) => session.push?.send(message, revision, requestMethod),
      end: () => {},
    };
    // Gives each session a caller id of its own. Two clients may share a token, and one must not get the other's
    // questions.
    const caller: Caller = { kind: principal.kind, id: `${principal.id}/${id}`, principal: principal.id };
    const session: HttpSession = {
      id,
      principal,
      push: undefined,
      usedAt: steadyNow(this.#clock),
      openedAt: steadyNow(this.#clock),
      streams: new Map(),
      server: new LegacyServer({ handler, caller, push }),
    };
    this.#sessions.set(id, session);
    return session;
  }

  #makeRoom(principal: Caller): SessionRefusal | undefined {
    const { perPrincipal, total } = this.#limits;
    const isOwn = (session: HttpSession) => sameCaller(session.principal, principal);
    const own = [...this.#sessions.values()].filter(isOwn);
    if (own.length >= perPrincipal && !this.#closeUnused(own)) return { scope: "principal", limit: perPrincipal };
    if (this.#sessions.size < total || this.#closeUnused(this.#sessions.values())) return undefined;
    return { scope: "total", limit: total };
  }

  /** Closes the session that was unused for the longest time. Returns false if all are in use. */
  #closeUnused(candidates: Iterable<HttpSession>): boolean {
    const before = steadyNow(this.#clock) - this.#limits.idleMs;
    for (const { id, server, push, streams, usedAt } of candidates) {
      if (usedAt > before) return false;
      if (server.busy || push || streams.size > 0) continue;
      this.close(id);
      return true;
    }
    return false;
  }

  find(id: string, principal: Caller): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (!session || !sameCaller(session.principal, principal)) return undefined;
    session.usedAt = steadyNow(this.#clock);
    // Moves the session to the end, so that the map is ordered by last use.
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  close(id: string, error?: HostError): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    if (!session) return;
    this.#onEnded?.(session.server.version, steadyNow(this.#clock) - session.openedAt);
    session.server.close(error);
    session.push?.end();
  }

  /** Closes the sessions of one principal. */
  closeOf(principal: Caller, error: HostError): void {
    const own = [...this.#sessions.values()].filter((session) => sameCaller(session.principal, principal));
    for (const { id } of own) this.close(id, error);
  }

  closeAll(error?: HostError): void {
    for (const id of [...this.#sessions.keys()]) this.close(id, error);
  }
}
