/** Fires when nobody waits for an HTTP response any more. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** A response that is queued behind another on one connection never hears of its end; the connection itself does. */
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
