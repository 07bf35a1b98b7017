/**
 * The sessions of legacy HTTP clients. A session id is valid only for the caller that opened the session. The number of
 * sessions is limited. A new session replaces the least recently used idle one.
 */
import { randomUUID } from "node:crypto";
import { sameCaller } from "@plugboard/contracts";
import type { Caller, HostError } from "@plugboard/contracts";
import type { McpRequestHandler } from "../session/mcp-request-handler.ts";
import { LegacyServer } from "../dialect/legacy/legacy-server.ts";
import type { Message } from "../wire/message.ts";
import type { ResponseStream } from "../wire/response-stream.ts";

export interface HttpSession {
  readonly id: string;
  /** The caller that may use this session id. */
  readonly principal: Caller;
  readonly server: LegacyServer;
  /** The client's GET stream, for messages that belong to no call. */
  push: ResponseStream | undefined;
}

export class HttpSessions {
  readonly #limit: number;
  readonly #sessions = new Map<string, HttpSession>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Returns undefined if all sessions are in use and the limit is reached. */
  open(handler: McpRequestHandler, principal: Caller): HttpSession | undefined {
    if (this.#sessions.size >= this.#limit && !this.#evictIdle()) return undefined;
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
      server: new LegacyServer({ handler, caller, push }),
    };
    this.#sessions.set(id, session);
    return session;
  }

  /** Closes the least recently used idle session. Returns false if all sessions are in use. */
  #evictIdle(): boolean {
    const idle = [...this.#sessions.values()].find(({ server, push }) => !server.busy && !push);
    if (idle) this.close(idle.id);
    return idle !== undefined;
  }

  find(id: string, principal: Caller): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (!session || !sameCaller(session.principal, principal)) return undefined;
    // Moves the session to the end, so that the map is ordered by last use.
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  close(id: string, error?: HostError): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.server.close(error);
    session?.push?.end();
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
