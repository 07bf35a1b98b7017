/**
 * Limits the requests that each principal has open at the same time. If all connections are busy, the principal with
 * the most open requests loses one, so that several principals together can't lock out another. The owner is not
 * limited.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ERROR_TABLE, findEntryToGive, HostError, OWNER } from "@plugboard/contracts";

/** Open requests end when calls end, so the client should not try again at once. */
const RETRY_AFTER_MS = 1000;

export class OpenRequests {
  readonly #limit: number;
  /** The responses of each principal, oldest first. */
  readonly #open = new Map<string, Set<ServerResponse>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts the request until its response has closed. Throws TOO_MANY_REQUESTS above the limit. */
  add(principal: string, response: ServerResponse): void {
    const open = this.#open.get(principal) ?? new Set();
    if (open.size >= this.#limit) throw this.#error();
    this.#open.set(principal, open.add(response));
    response.once("close", () => this.#remove(principal, response));
  }

  /**
   * Makes room for a new connection: ends the oldest request of the principal with the most open requests, and its
   * connection. Returns that connection, or undefined if no request can be ended. `connections` is the limit of
   * connections, for the error.
   */
  giveWay(connections: number): Socket | undefined {
    const entries = [...this.#open].flatMap(([principal, open]) =>
      Array.from(open, (response) => ({ principal, response })),
    );
    // The new connection has sent no token yet, so it is treated as the owner's.
    const given = findEntryToGive(entries, OWNER.id, { principalOf: ({ principal }) => principal });
    if (!given) return undefined;
    const { principal, response } = given;
    this.#remove(principal, response);
    const { socket } = response.req;
    // A response that has begun can't become an error, and a response without a socket must wait for an earlier one.
    if (!response.headersSent && response.socket) socket.write(rawAnswer(connections));
    socket.destroySoon();
    return socket;
  }

  #remove(principal: string, response: ServerResponse): void {
    const open = this.#open.get(principal);
    if (open?.delete(response) && open.size === 0) this.#open.delete(principal);
  }

  #error(): HostError {
    return new HostError("TOO_MANY_REQUESTS", { limit: this.#limit, retryAfterMs: RETRY_AFTER_MS, per: "open" });
  }
}

/**
 * The answer as bytes for the socket. If it were sent as the response, the call behind the request would not be
 * cancelled.
 */
function rawAnswer(connections: number): string {
  const details = { limit: connections, retryAfterMs: RETRY_AFTER_MS, per: "connections" } as const;
  const error = new HostError("TOO_MANY_REQUESTS", details);
  const body = JSON.stringify({ error: error.toJSON() });
  const head = [
    `HTTP/1.1 ${ERROR_TABLE[error.code].http} Too Many Requests`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `retry-after: ${RETRY_AFTER_MS / 1000}`,
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
