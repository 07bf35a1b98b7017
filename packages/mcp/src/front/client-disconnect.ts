/** Tells a request handler that its HTTP client has disconnected. */
import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Calls the listener once if the client disconnects before the response is complete, and otherwise `onComplete` when the
 * response has been sent. Listens to the socket too: a response that is queued behind another one on the same connection
 * gets no `close` event.
 */
export function onClientDisconnect(
  request: IncomingMessage,
  response: ServerResponse,
  listener: () => void,
  onComplete?: () => void,
): void {
  const { socket } = request;
  if (socket.destroyed) return listener();
  let isOver = false;
  const onClose = () => {
    if (isOver) return;
    isOver = true;
    socket.off("close", onClose);
    if (!response.writableFinished) listener();
    else onComplete?.();
  };
  socket.once("close", onClose);
  response.once("close", onClose);
}

/** Returns a signal that aborts when the client disconnects before the response is complete. */
export function clientDisconnectSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  onClientDisconnect(request, response, () => controller.abort());
  return controller.signal;
}
