/**
 * Limits the connections of an HTTP server. At the limit, a new connection replaces the oldest one without a request, so
 * that clients that connect and send nothing lock nobody out.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export function limitConnections(server: Server, limit: number): void {
  /** The connections that have not sent the headers of a request yet, oldest first. */
  const silent = new Set<Socket>();
  /** The connections that wait for the next request, in the order in which they began to wait. */
  const idle = new Set<Socket>();
  /** The number of unanswered requests of the other connections. */
  const busy = new Map<Socket, number>();

  server.on("connection", (socket: Socket) => {
    if (silent.size + idle.size + busy.size >= limit) {
      const [replaced = socket] = silent.size > 0 ? silent : idle;
      replaced.destroy();
      forget(replaced);
      if (replaced === socket) return;
    }
    silent.add(socket);
    socket.once("close", () => forget(socket));
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!silent.delete(socket) && !idle.delete(socket) && !busy.has(socket)) return;
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (busy.get(socket) ?? 0) - 1;
      if (left > 0) busy.set(socket, left);
      else if (busy.delete(socket)) idle.add(socket);
    });
  });

  function forget(socket: Socket): void {
    silent.delete(socket);
    idle.delete(socket);
    busy.delete(socket);
  }
}
