/** On a request's own stream: which messages are the answer to that request. */
import type { ParsedMessage, RequestId } from "../../wire/message.ts";

/**
 * The answer, under the id it was asked by: some servers give a number back as text, and an error about the envelope
 * may have no id at all. Nothing for what answers another request.
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
