/** Text from a wire as a message. */
import { isAscii } from "node:buffer";
import { classify } from "../wire/message.ts";
import type { Incoming, Malformed } from "../wire/message.ts";
import { peekComplete, peekTruncated } from "./peek-envelope.ts";
import { jsonExcess } from "./json-bounds.ts";

const BYTE_ORDER_MARK = "\ufeff";
const LONG = 64 * 1024;
const OPEN_BRACE = 0x7b;

/** Returns undefined for a line that does not look like a message, such as a banner. */
export function parseLine(line: Buffer): Incoming | undefined {
  if (line[0] === OPEN_BRACE) return refuseExcess(line) ?? parse(decode(line));
  const text = decode(line);
  // Trimming would take the mark away too.
  const marked = text.startsWith(BYTE_ORDER_MARK);
  const trimmed = text.trim();
  if (!trimmed.startsWith("{") && !trimmed.startsWith("[")) return undefined;
  const incoming = refuseExcess(line) ?? parse(trimmed);
  return marked ? spoiled(incoming, "it begins with a byte-order mark") : incoming;
}

export function parseMessage(text: string): Incoming {
  return refuseExcess(text) ?? parse(text);
}

function parse(text: string): Incoming {
  try {
    return classify(JSON.parse(text));
  } catch (error) {
    return { type: "malformed", why: `not JSON (${(error as Error).message})`, ...peekTruncated(text) };
  }
}

/** Rejects a message too dense to parse without blocking. Its beginning and end show which request it fails. */
function refuseExcess(source: string | Buffer): Malformed | undefined {
  const why = jsonExcess(source);
  return why === undefined ? undefined : { type: "malformed", why, ...peekComplete(source) };
}

/** A long text without accents need not be decoded, only copied. */
function decode(bytes: Buffer): string {
  return bytes.length > LONG && isAscii(bytes) ? bytes.toString("latin1") : bytes.toString("utf8");
}

/** A message that can't be taken though its envelope is in order. */
function spoiled(incoming: Incoming, why: string): Incoming {
  if (incoming.type === "malformed") return incoming;
  const { message } = incoming;
  const id = "id" in message ? message.id : undefined;
  const like = "method" in message ? "request" : "answer";
  return { type: "malformed", why, like, ...(id !== undefined && { id }) };
}
