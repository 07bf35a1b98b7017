/** Tells whether a message is the response to a request. Used for messages on that request's own stream. */
import type { ParsedMessage, RequestId } from "../../wire/message.ts";

/**
 * Returns undefined if the message is not the response to the request. Some servers return a numeric id as a string, so
 * the result always has the id of the request. An error or a malformed message without an id counts as the response.
 */
export function matchResponse(incoming: ParsedMessage, id: RequestId): ParsedMessage | undefined {
  switch (incoming.type) {
    case "result":
      if (incoming.message.id === id) return incoming;
      return isSameId(incoming.message.id, id) ? { ...incoming, message: { ...incoming.message, id } } : undefined;
    case "error":
      return isSameId(incoming.message.id ?? id, id)
        ? { ...incoming, message: { ...incoming.message, id } }
        : undefined;
    case "malformed":
      return incoming.looksLike !== "request" && isSameId(incoming.id ?? id, id) ? { ...incoming, id } : undefined;
    default:
      return undefined;
  }
}

function isSameId(receivedId: RequestId, id: RequestId): boolean {
  return String(receivedId) === String(id);
}
