/** Text from a wire as a message. */
import { isAscii } from "node:buffer";
import { classify } from "../wire/message.ts";
import type { Incoming, Malformed } from "../wire/message.ts";
import { isDeeperThan } from "./json-depth.ts";

/** What is deeper can be read but not be written again, by anybody. */
const MAX_DEPTH = 3500;
const BYTE_ORDER_MARK = "\ufeff";
const LONG = 64 * 1024;
const OPEN_BRACE = 0x7b;

/** A line of a shared wire; nothing for one that does not even look like a message: banners and noise. */
export function parseLine(line: Buffer): Incoming | undefined {
  if (line[0] === OPEN_BRACE) return parse(decode(line), line);
  const text = decode(line);
  // Trimming would take the mark away too.
  const marked = text.startsWith(BYTE_ORDER_MARK);
  const trimmed = text.trim();
  if (!trimmed.startsWith("{") && !trimmed.startsWith("[")) return undefined;
  const incoming = parse(trimmed, line);
  return marked ? spoiled(incoming, "it begins with a byte-order mark") : incoming;
}

export function parseMessage(text: string): Incoming {
  return parse(text, text);
}

function parse(text: string, source: string | Buffer): Incoming {
  try {
    const incoming = classify(JSON.parse(text));
    return isDeeperThan(source, MAX_DEPTH) ? spoiled(incoming, `it is nested more than ${MAX_DEPTH} deep`) : incoming;
  } catch (error) {
    return { type: "malformed", why: `not JSON (${(error as Error).message})`, ...glimpse(text) };
  }
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

/** As most write a message: the version, then the id, then the rest. */
const BEGINNING = /^\[?\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*(?:,\s*"id"\s*:\s*(\d+)\s*)?(?:,\s*("method"))?/;

/** What a text that is no JSON, perhaps cut, may have been meant for. */
function glimpse(text: string): Pick<Malformed, "like" | "id"> {
  const [begins, id, method] = BEGINNING.exec(text) ?? [];
  if (begins === undefined) return { like: "noise" };
  if (method !== undefined) return { like: "request" };
  return { like: "answer", ...(id !== undefined && { id: Number(id) }) };
}
