/**
 * Limits how many requests of one connection are handled at once. A client may
 * send many without reading the answers, which would fill the memory. Requests
 * beyond the limit wait until the client has read earlier answers.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Allows several, because a client may send an elicitation's answer after the call that waits for it. */
const AT_ONCE = 4;

interface Connection {
  running: number;
  readonly waiting: ((open: boolean) => void)[];
}

export class PipelinedRequests {
  readonly #connections = new WeakMap<Socket, Connection>();

  /** Resolves when the request may be handled, or with false if its connection has closed. */
  enter({ socket }: IncomingMessage, response: ServerResponse): boolean | Promise<boolean> {
    const connection = this.#connections.get(socket) ?? this.#watch(socket);
    response.once("close", () => leave(connection));
    if (connection.running >= AT_ONCE) return new Promise((resolve) => connection.waiting.push(resolve));
    connection.running += 1;
    return true;
  }

  #watch(socket: Socket): Connection {
    const connection: Connection = { running: 0, waiting: [] };
    this.#connections.set(socket, connection);
    socket.once("close", () => {
      for (const resolve of connection.waiting.splice(0)) resolve(false);
    });
    return connection;
  }
}

function leave(connection: Connection): void {
  const next = connection.waiting.shift();
  if (next) next(true);
  else connection.running -= 1;
}
