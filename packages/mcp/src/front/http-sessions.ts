/**
 * The sessions of legacy fronts over HTTP. A session id is not an identity: it is
 * good only for the caller it was given to. The table is bounded: of the sessions
 * that nobody uses now, the one used longest ago makes room.
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
  /** Whose it is: who may use the id. */
  readonly principal: Caller;
  readonly server: LegacyServer;
  /** The stream that the front keeps open for what belongs to no call. */
  push: ResponseStream | undefined;
}

export class HttpSessions {
  readonly #limit: number;
  readonly #sessions = new Map<string, HttpSession>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Nothing when the table is full of sessions in use. */
  open(handler: McpRequestHandler, principal: Caller): HttpSession | undefined {
    if (this.#sessions.size >= this.#limit && !this.#evictIdle()) return undefined;
    const id = randomUUID();
    const push: ResponseStream = {
      send: (message: Message, revision, answers) => session.push?.send(message, revision, answers),
      end: () => {},
    };
    // Two clients with one token are two callers: what one is asked must not reach the other.
    const caller: Caller = { kind: principal.kind, id: `${principal.id}/${id}` };
    const session: HttpSession = {
      id,
      principal,
      push: undefined,
      server: new LegacyServer({ handler, caller, push }),
    };
    this.#sessions.set(id, session);
    return session;
  }

  #evictIdle(): boolean {
    const idle = [...this.#sessions.values()].find(({ server, push }) => !server.busy && !push);
    if (idle) this.close(idle.id);
    return idle !== undefined;
  }

  find(id: string, principal: Caller): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (!session || !sameCaller(session.principal, principal)) return undefined;
    // The one used last goes to the end.
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

  closeAll(error?: HostError): void {
    for (const id of [...this.#sessions.keys()]) this.close(id, error);
  }
}
