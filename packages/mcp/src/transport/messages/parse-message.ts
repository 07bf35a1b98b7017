/** Parses text from the wire into a message. */
import { isAscii } from "node:buffer";
import { classify } from "../../wire/message.ts";
import type { ParsedMessage, Malformed } from "../../wire/message.ts";
import { peekComplete, peekTruncated } from "./peek-envelope.ts";
import { findExceededBound } from "./json-bounds.ts";

/** Stands for input that is not a message, such as a banner or a log line. It never fails a request. */
export const NOISE: Malformed = { type: "malformed", reason: "not a message", looksLike: "noise" };

const BYTE_ORDER_MARK = "\ufeff";
const LONG_TEXT_BYTES = 64 * 1024;
const OPEN_BRACE = 0x7b;

/** Returns undefined for a line that does not look like a message, such as a banner. */
export function parseLine(line: Buffer): ParsedMessage | undefined {
  if (line[0] === OPEN_BRACE) return rejectExcessive(line) ?? parse(decode(line));
  const text = decode(line);
  // `trim` would remove the mark too.
  const hasByteOrderMark = text.startsWith(BYTE_ORDER_MARK);
  const trimmed = text.trim();
  if (!trimmed.startsWith("{") && !trimmed.startsWith("[")) return undefined;
  const incoming = rejectExcessive(line) ?? parse(trimmed);
  return hasByteOrderMark ? toMalformed(incoming, "it begins with a byte-order mark") : incoming;
}

export function parseMessage(text: string): ParsedMessage {
  return rejectExcessive(text) ?? parse(text);
}

function parse(text: string): ParsedMessage {
  try {
    return classify(JSON.parse(text));
  } catch (error) {
    return { type: "malformed", reason: `not JSON (${(error as Error).message})`, ...peekTruncated(text) };
  }
}

/**
 * Returns undefined if the structure of the message is within the bounds. Otherwise reads both ends of the text to find
 * the request that the message answers.
 */
function rejectExcessive(source: string | Buffer): Malformed | undefined {
  const reason = findExceededBound(source);
  return reason === undefined ? undefined : { type: "malformed", reason, ...peekComplete(source) };
}

/** Decodes long ASCII text as latin1, which is faster. */
function decode(bytes: Buffer): string {
  return bytes.length > LONG_TEXT_BYTES && isAscii(bytes) ? bytes.toString("latin1") : bytes.toString("utf8");
}

/** Turns a valid message into a malformed one with this reason. */
function toMalformed(incoming: ParsedMessage, reason: string): ParsedMessage {
  if (incoming.type === "malformed") return incoming;
  const { message } = incoming;
  const id = "id" in message ? message.id : undefined;
  const looksLike = "method" in message ? "request" : "response";
  return { type: "malformed", reason, looksLike, ...(id !== undefined && { id }) };
}
