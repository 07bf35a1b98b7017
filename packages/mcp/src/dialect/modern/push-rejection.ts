/**
 * Recognises that a tool tried to send a request to the client, which the modern revision forbids. A server of both eras
 * can ask in the other one.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject, PeerError } from "@plugboard/contracts";

/**
 * Matches the two messages of the official packages. They send no code: the error of the tool becomes the text of its
 * result, sometimes behind words of the tool.
 */
const REJECTION =
  /'(?:elicitation\/create|sampling\/createMessage|roots\/list)' (?:is not supported by the negotiated protocol version|cannot be sent while serving a request on that revision)/;
/** A longer text is more than this message. */
const MAX_LENGTH = 1000;

export function isPushRejection({ content }: JsonObject): boolean {
  if (!Array.isArray(content) || content.length !== 1) return false;
  const [block] = content;
  return isJsonObject(block) && typeof block["text"] === "string" && matches(block["text"]);
}

export function isPushRejectionError({ message }: PeerError): boolean {
  return matches(message);
}

/** Tells the model that the next call can succeed. */
export function withRetryHint(result: JsonObject): JsonObject {
  const text =
    "Plugboard now reconnects to this server with the older protocol, in which the server can ask. Call the tool again.";
  return { ...result, content: [...(result["content"] as JsonObject[]), { type: "text", text }] };
}

function matches(text: string): boolean {
  return text.length <= MAX_LENGTH && REJECTION.test(text);
}
