/**
 * Which request a text may have been meant for that was not parsed: it is cut,
 * or its structure exceeds the bounds. The envelope's members are found where
 * every implementation writes them, before or behind the payload.
 */
import type { Malformed, RequestId } from "../wire/message.ts";

type EnvelopeGuess = Pick<Malformed, "like" | "id">;

interface Envelope {
  version?: boolean;
  method?: boolean;
  id?: RequestId;
}

const LENGTH = 512;
const OPENING = /^\s*\[?\s*\{/;
/** One member before the payload; its value may be cut. */
const LEADING = /\s*"(jsonrpc|id|method)"\s*:\s*(?:("[^"\\\n]*"|-?\d+)(?=[\s,}]))?\s*,?/y;
/** All members behind the payload, of the outermost object. */
const TRAILING = /(?:,\s*"(?:jsonrpc|id|method)"\s*:\s*(?:"[^"\\\n]*"|-?\d+)\s*)+\}\s*\]?\s*$/;
const MEMBER = /"(jsonrpc|id|method)"\s*:\s*("[^"\\\n]*"|-?\d+)/g;

/** Of a text that is cut: only its beginning is where it belongs. */
export function peekTruncated(text: string): EnvelopeGuess {
  const { version, method, id } = leading(text.slice(0, LENGTH));
  if (!version) return { like: "noise" };
  // What asks and was cut can't be answered: its id may be cut too.
  return method ? { like: "request" } : { like: "answer", ...(id !== undefined && { id }) };
}

/** Of a whole text. One that shows no envelope counts as an answer: its call must not wait for a timeout. */
export function peekComplete(source: string | Buffer): EnvelopeGuess {
  const [head, tail] = ends(source);
  if (!OPENING.test(head)) return { like: "noise" };
  const { method, id } = { ...trailing(tail), ...leading(head) };
  return { like: method ? "request" : "answer", ...(id !== undefined && { id }) };
}

function ends(source: string | Buffer): readonly [head: string, tail: string] {
  if (typeof source === "string") return [source.slice(0, LENGTH), source.slice(-LENGTH)];
  return [source.toString("utf8", 0, LENGTH), source.toString("utf8", Math.max(0, source.length - LENGTH))];
}

function leading(text: string): Envelope {
  const envelope: Envelope = {};
  LEADING.lastIndex = OPENING.exec(text)?.[0].length ?? text.length;
  for (let found = LEADING.exec(text); found; found = LEADING.exec(text)) note(envelope, found);
  return envelope;
}

function trailing(text: string): Envelope {
  const envelope: Envelope = {};
  for (const found of (TRAILING.exec(text)?.[0] ?? "").matchAll(MEMBER)) note(envelope, found);
  return envelope;
}

function note(envelope: Envelope, [, member, value]: RegExpExecArray): void {
  if (member === "jsonrpc") envelope.version = value === '"2.0"';
  else if (member === "method") envelope.method = true;
  else if (value !== undefined) envelope.id = value.startsWith('"') ? value.slice(1, -1) : Number(value);
}
