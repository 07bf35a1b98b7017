/**
 * Tracks the unfinished responses of an HTTP server, and limits how many of them one connection may have. Node emits
 * `close` only for the response that it is sending. The responses that are queued behind it would wait for that event
 * forever when their connection closes, so they get the event here.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many requests a client may send on one connection without waiting for the responses. */
const MAX_PIPELINED = 64;

export class OpenResponses {
  readonly #limit: number;
  readonly #connections = new Map<Socket, Set<ServerResponse>>();

  constructor(limit = MAX_PIPELINED) {
    this.#limit = limit;
  }

  /**
   * Tracks the response until it closes. Closes the connection at the limit. Returns false if the connection is closed.
   */
  add({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // Node parses all requests of a chunk, even if the first of them closes the connection.
    if (socket.destroyed) return false;
    const responses = this.#connections.get(socket) ?? this.#track(socket);
    if (responses.size >= this.#limit) {
      socket.destroy();
      return false;
    }
    responses.add(response);
    response.once("close", () => responses.delete(response));
    return true;
  }

  *[Symbol.iterator](): Iterator<ServerResponse> {
    for (const responses of this.#connections.values()) yield* responses;
  }

  #track(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    this.#connections.set(socket, responses);
    socket.once("close", () => {
      this.#connections.delete(socket);
      for (const response of responses) if (isQueued(response)) response.destroy().emit("close");
    });
    return responses;
  }
}

/** Node emits `close` itself for a response that has a socket, or that has been sent. */
function isQueued({ socket, writableFinished }: ServerResponse): boolean {
  return !socket && !writableFinished;
}
