/**
 * Limits how many requests of one connection are handled at the same time. A client may send many requests without
 * reading the responses, which would fill the memory. Requests over the limit wait until the client has read earlier
 * responses.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** More than one, because a client may send an elicitation's answer after the call that waits for it. */
const MAX_CONCURRENT = 4;

interface ConnectionQueue {
  running: number;
  readonly waiting: ((open: boolean) => void)[];
}

export class PipelineLimiter {
  /** Shared by all fronts, because a client may send requests to several of them on one connection. */
  static readonly #connections = new WeakMap<Socket, ConnectionQueue>();

  /** Resolves with true when the request may be handled, or with false if its connection has closed. */
  enter({ socket }: IncomingMessage, response: ServerResponse): boolean | Promise<boolean> {
    const connection = PipelineLimiter.#connections.get(socket) ?? this.#track(socket);
    response.once("close", () => leave(connection, socket));
    if (connection.running >= MAX_CONCURRENT) return new Promise((resolve) => connection.waiting.push(resolve));
    connection.running += 1;
    return true;
  }

  #track(socket: Socket): ConnectionQueue {
    const connection: ConnectionQueue = { running: 0, waiting: [] };
    PipelineLimiter.#connections.set(socket, connection);
    socket.once("close", () => {
      for (const resolve of connection.waiting.splice(0)) resolve(false);
    });
    return connection;
  }
}

function leave(connection: ConnectionQueue, { destroyed }: Socket): void {
  const next = connection.waiting.shift();
  if (next) next(!destroyed);
  else connection.running -= 1;
}
