/** Tells a request handler that its HTTP client has disconnected. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The requests of each connection that wait for its end. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls the listener once if the client disconnects before the response is complete. Otherwise calls `onComplete` when
 * the response has been sent. Listens to the socket too: a response that is queued behind another one on the same
 * connection gets no `close` event.
 */
export function onClientDisconnect(
  request: IncomingMessage,
  response: ServerResponse,
  listener: () => void,
  onComplete?: () => void,
): void {
  const { socket } = request;
  if (socket.destroyed) return listener();
  const requests = waiting.get(socket) ?? track(socket);
  const onClose = () => {
    if (!requests.delete(onClose)) return;
    if (!response.writableFinished) listener();
    else onComplete?.();
  };
  requests.add(onClose);
  response.once("close", onClose);
}

/**
 * Adds one listener to the socket for all its requests. A client may send many, and Node warns about many listeners.
 */
function track(socket: Socket): Set<() => void> {
  const requests = new Set<() => void>();
  waiting.set(socket, requests);
  socket.once("close", () => {
    for (const onClose of [...requests]) onClose();
  });
  return requests;
}

/** Returns a signal that aborts when the client disconnects before the response is complete. */
export function clientDisconnectSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  onClientDisconnect(request, response, () => controller.abort());
  return controller.signal;
}
