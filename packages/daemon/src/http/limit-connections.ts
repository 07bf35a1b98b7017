/**
 * Limits the connections of an HTTP server. At the limit, a new connection replaces the oldest one without a request, so
 * that clients that connect and send nothing lock nobody out, and otherwise one that gives way. A connection whose client does not read a large response is
 * closed, so that unread responses do not fill the memory.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How long a client may leave a response unread. */
const UNREAD_MS = 30_000;
/** How many bytes of a response may stay unread for longer. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** `giveWay` is called if all connections have requests. It ends one of them and returns it. */
export function limitConnections(
  server: Server,
  limit: number,
  giveWay: () => Socket | undefined,
  unreadMs = UNREAD_MS,
): void {
  /** The connections that have not sent the headers of a request yet, oldest first. */
  const silent = new Set<Socket>();
  /** The connections that wait for the next request, in the order in which they began to wait. */
  const idle = new Set<Socket>();
  /** The number of unanswered requests of the other connections. */
  const busy = new Map<Socket, number>();

  server.on("connection", (socket: Socket) => {
    if (silent.size + idle.size + busy.size >= limit) {
      const [unused] = silent.size > 0 ? silent : idle;
      const replaced = unused ?? giveWay();
      unused?.destroy();
      if (!replaced) return void socket.destroy();
      forget(replaced);
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
  // Node emits this when a connection has neither sent nor received anything for this time, or was kept alive too long.
  server.timeout = unreadMs;
  server.on("timeout", (socket) => {
    if (!busy.has(socket) || socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
    else socket.setTimeout(unreadMs);
  });

  function forget(socket: Socket): void {
    silent.delete(socket);
    idle.delete(socket);
    busy.delete(socket);
  }
}
