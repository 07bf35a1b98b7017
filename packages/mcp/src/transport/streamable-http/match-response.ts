/** Finds the response to a request on that request's own stream. */
import type { ParsedMessage, RequestId } from "../../wire/message.ts";

/**
 * Returns the response with the id of the request, or undefined for any other message. Some servers return a numeric id
 * as a string. An error about the envelope may have no id.
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
