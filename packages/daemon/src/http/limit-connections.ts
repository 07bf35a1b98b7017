/**
 * Limits the connections of an HTTP server. A connection whose client does not read a large response is closed, so that
 * unread responses do not fill the memory. At the limit, a new connection replaces the first of these that exists. If
 * none exists, the new connection is refused.
 * 1. The oldest connection without an authenticated request, so that strangers lock nobody out and end no calls.
 * 2. The connection that has waited longest for its next request.
 * 3. The connection that `giveWay` chooses.
 */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How long a client may leave a response unread. */
const UNREAD_MS = 30_000;
/** A response with fewer unread bytes than this may stay unread for longer. */
const MAX_UNREAD_BYTES = 64 * 1024;

/**
 * `giveWay` is called with the limit if all connections have authenticated requests. It ends one of them and returns
 * it. Returns a function that must be called for each authenticated request. All other connections can be replaced.
 */
export function limitConnections(
  server: Server,
  limit: number,
  giveWay: (limit: number) => Socket | undefined = () => undefined,
  unreadMs = UNREAD_MS,
): (response: ServerResponse) => void {
  /**
   * The connections without an authenticated request so far, oldest first. Age alone counts: if silent ones went first,
   * a client that has just connected would be replaced before strangers that send their requests slowly.
   */
  const unauthenticated = new Set<Socket>();
  /** The connections that wait for the next authenticated request, in the order in which they began to wait. */
  const idle = new Set<Socket>();
  /** The number of unanswered authenticated requests of the other connections. */
  const busy = new Map<Socket, number>();

  server.on("connection", (socket: Socket) => {
    if (unauthenticated.size + idle.size + busy.size >= limit) {
      const [unused] = unauthenticated.size > 0 ? unauthenticated : idle;
      const replaced = unused ?? giveWay(limit);
      unused?.destroy();
      if (!replaced) return void socket.destroy();
      forget(replaced);
    }
    unauthenticated.add(socket);
    socket.once("close", () => forget(socket));
  });
  // Node emits `timeout` if a connection has neither sent nor received anything for this time, or was idle too long.
  server.timeout = unreadMs;
  server.on("timeout", (socket) => {
    if (!busy.has(socket) || socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
  });

  function forget(socket: Socket): void {
    unauthenticated.delete(socket);
    idle.delete(socket);
    busy.delete(socket);
  }

  return (response) => {
    const { socket } = response.req;
    if (!unauthenticated.delete(socket) && !idle.delete(socket) && !busy.has(socket)) return;
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = busy.get(socket)! - 1;
      if (left > 0) busy.set(socket, left);
      else if (busy.delete(socket)) idle.add(socket);
    });
  };
}
