/**
 * Recognises that a tool tried to send a request to the client, which the modern revision forbids. A server of both
 * eras can ask in the legacy era.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject, PeerError } from "@plugboard/contracts";

const METHOD = "'(?:elicitation/create|sampling/createMessage|roots/list)'";
const REVISION = String.raw`[\w.-]{1,40}`;
/**
 * Matches the two messages of the official packages. They send no code: the error of the tool becomes the text of its
 * result. Matches only a whole text, because a tool may also return a log that contains such a message.
 */
const REJECTION = new RegExp(
  [
    String.raw`^Method ${METHOD} is not supported by the negotiated protocol version \(wire era ${REVISION}\)$`,
    String.raw`^Server-to-client requests are not available on protocol revision ${REVISION}: ${METHOD} cannot be sent while serving a request on that revision\. Return inputRequired\(\{ \.\.\. \}\) from the handler instead — the client fulfils the embedded requests and retries the original request \(multi round-trip requests\)\.$`,
  ].join("|"),
);

export function isPushRejection({ content }: JsonObject): boolean {
  if (!Array.isArray(content) || content.length !== 1) return false;
  const [block] = content;
  return isJsonObject(block) && typeof block["text"] === "string" && REJECTION.test(block["text"]);
}

export function isPushRejectionError({ message }: PeerError): boolean {
  return REJECTION.test(message);
}

/** Tells the model that the next call can succeed. */
export function withRetryHint(result: JsonObject): JsonObject {
  const text =
    "Plugboard now reconnects to this server with the older protocol, in which the server can ask. Call the tool again.";
  return { ...result, content: [...(result["content"] as JsonObject[]), { type: "text", text }] };
}
