/** Tells a request handler that its HTTP client has disconnected. */
import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Returns a signal that aborts when the client disconnects before the response is complete. Listens to the socket too:
 * a response that is queued behind another one on the same connection gets no `close` event.
 */
export function clientDisconnectSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const { socket } = request;
  socket.once("close", abort);
  response.once("close", () => {
    socket.off("close", abort);
    if (!response.writableFinished) abort();
  });
  if (socket.destroyed) abort();
  return controller.signal;
}
