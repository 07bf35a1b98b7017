/** Fires when nobody waits for an HTTP response any more. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** A response that is queued behind another on one connection never hears of its end; the connection itself does. */
export function goneSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const fire = () => gone.abort();
  const { socket } = request;
  socket.once("close", fire);
  response.once("close", () => {
    socket.off("close", fire);
    if (!response.writableFinished) fire();
  });
  if (socket.destroyed) fire();
  return gone.signal;
}
