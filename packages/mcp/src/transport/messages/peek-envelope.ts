/**
 * Guesses which request an unreadable message belongs to. The message is truncated, or its structure exceeds the
 * bounds. Looks for `jsonrpc`, `id` and `method` before and after the payload.
 */
import type { Malformed, RequestId } from "../../wire/message.ts";

type EnvelopeGuess = Pick<Malformed, "looksLike" | "id">;

interface Envelope {
  isJsonRpc2?: boolean;
  hasMethod?: boolean;
  id?: RequestId;
}

const PEEK_LENGTH = 512;
const OPENING = /^\s*\[?\s*\{/;
/** Matches one member before the payload. Its value may be truncated. */
const LEADING = /\s*"(jsonrpc|id|method)"\s*:\s*(?:("[^"\\\n]*"|-?\d+)(?=[\s,}]))?\s*,?/y;
/** Matches all members of the outermost object after the payload. */
const TRAILING = /(?:,\s*"(?:jsonrpc|id|method)"\s*:\s*(?:"[^"\\\n]*"|-?\d+)\s*)+\}\s*\]?\s*$/;
const MEMBER = /"(jsonrpc|id|method)"\s*:\s*("[^"\\\n]*"|-?\d+)/g;

/** Reads only the beginning of a truncated message. */
export function peekTruncated(text: string): EnvelopeGuess {
  const { isJsonRpc2, hasMethod, id } = readLeading(text.slice(0, PEEK_LENGTH));
  if (!isJsonRpc2) return { looksLike: "noise" };
  // A truncated request can't be answered, because its id may be truncated too.
  return hasMethod ? { looksLike: "request" } : { looksLike: "response", ...(id !== undefined && { id }) };
}

/**
 * Reads both ends of a complete message. Treats an object without an envelope as a response, so that its call fails.
 */
export function peekComplete(source: string | Buffer): EnvelopeGuess {
  const [head, tail] = bothEnds(source);
  if (!OPENING.test(head)) return { looksLike: "noise" };
  const { hasMethod, id } = { ...readTrailing(tail), ...readLeading(head) };
  return { looksLike: hasMethod ? "request" : "response", ...(id !== undefined && { id }) };
}

function bothEnds(source: string | Buffer): readonly [head: string, tail: string] {
  if (typeof source === "string") return [source.slice(0, PEEK_LENGTH), source.slice(-PEEK_LENGTH)];
  return [source.toString("utf8", 0, PEEK_LENGTH), source.toString("utf8", Math.max(0, source.length - PEEK_LENGTH))];
}

function readLeading(text: string): Envelope {
  const envelope: Envelope = {};
  LEADING.lastIndex = OPENING.exec(text)?.[0].length ?? text.length;
  for (let found = LEADING.exec(text); found; found = LEADING.exec(text)) setMember(envelope, found);
  return envelope;
}

function readTrailing(text: string): Envelope {
  const envelope: Envelope = {};
  for (const found of (TRAILING.exec(text)?.[0] ?? "").matchAll(MEMBER)) setMember(envelope, found);
  return envelope;
}

function setMember(envelope: Envelope, [, member, value]: RegExpExecArray): void {
  if (member === "jsonrpc") envelope.isJsonRpc2 = value === '"2.0"';
  else if (member === "method") envelope.hasMethod = true;
  else if (value !== undefined) envelope.id = value.startsWith('"') ? value.slice(1, -1) : Number(value);
}
