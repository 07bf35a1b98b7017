/** Tells a method of the control API that its client has left. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { clientDisconnectSignal } from "@plugboard/mcp/server-transport";
import type { Channel } from "./channels.ts";

/**
 * Returns a signal that aborts when the client closes the request before the response is complete, or its channel ends.
 * A client that exits closes both, and the host may notice the channel first.
 */
export function requestSignal(
  { closed }: Pick<Channel, "closed">,
  request: IncomingMessage,
  response: ServerResponse,
): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  clientDisconnectSignal(request, response).addEventListener("abort", abort, { once: true });
  closed.addEventListener("abort", abort, { once: true });
  response.once("close", () => closed.removeEventListener("abort", abort));
  if (closed.aborted || request.socket.destroyed) abort();
  return controller.signal;
}
