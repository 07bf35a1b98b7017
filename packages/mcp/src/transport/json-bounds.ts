/**
 * Checks the structure of a JSON text before it is parsed. A parser needs up to
 * a hundred times longer for brackets and new keys than for the same bytes of
 * text, and blocks every other call meanwhile. Works on bytes, without recursion,
 * and stops at the first exceeded bound.
 */
export interface JsonBounds {
  /** Nesting levels. A deeper value can be parsed but not serialised. */
  readonly depth: number;
  /** Brackets, commas and colons: about one for each value and one for each key. */
  readonly parts: number;
  /** Distinct keys. A repeated key costs the parser far less than a new one. */
  readonly keys: number;
}

/** Allows 100 000 tools in one list. */
const BOUNDS: JsonBounds = { depth: 3500, parts: 1_000_000, keys: 50_000 };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Turns a bracket into a brace. */
const BRACE_BIT = 0x20;
/** Finds the end of a longer string with a native search. Most strings are shorter. */
const SHORT = 32;
/** Length of the shortest object member, `"a":1,`. */
const MEMBER = 6;

/** Describes the bound that the text exceeds, or returns undefined. Does not scan small texts. */
export function jsonExcess(json: string | Buffer, bounds: JsonBounds = BOUNDS): string | undefined {
  const { length } = json;
  const canBeDense = length > Math.min(bounds.parts, MEMBER * bounds.keys);
  // Each level takes one character to open and one to close.
  if (!canBeDense && length <= 2 * bounds.depth) return undefined;
  const bytes = typeof json === "string" ? Buffer.from(json) : json;
  if (!canBeDense && !hasMoreBrackets(bytes, bounds.depth)) return undefined;
  return scan(bytes, bounds);
}

/** Counts brackets inside strings too. Most large results are one long string with few brackets. */
function hasMoreBrackets(bytes: Buffer, limit: number): boolean {
  let found = 0;
  for (const opening of [OPEN_BRACKET, OPEN_BRACE]) {
    for (let at = bytes.indexOf(opening); at >= 0; at = bytes.indexOf(opening, at + 1)) {
      if (++found > limit) return true;
    }
  }
  return false;
}

function scan(bytes: Buffer, bounds: JsonBounds): string | undefined {
  const keys = new DistinctKeys(bytes);
  let depth = 0;
  let parts = 0;
  let stringStart = 0;
  let stringEnd = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      stringStart = at + 1;
      at = stringEnd = endOfString(bytes, stringStart);
    } else if ((byte | BRACE_BIT) === OPEN_BRACE) {
      if (++depth > bounds.depth) return `it is nested more than ${bounds.depth} deep`;
      parts += 1;
    } else if ((byte | BRACE_BIT) === CLOSE_BRACE) {
      depth -= 1;
    } else if (byte === COMMA) {
      parts += 1;
    } else if (byte === COLON) {
      parts += 1;
      if (keys.add(stringStart, stringEnd) > bounds.keys) return `it has more than ${bounds.keys} different keys`;
    }
    if (parts > bounds.parts) return `it has more than ${bounds.parts} values and keys`;
  }
  return undefined;
}

/** Counts approximately: keys with the same hash count once, and a long key counts every time. */
class DistinctKeys {
  static readonly #SLOTS = 2 ** 18;
  static readonly #PRIME = 0x01000193;

  readonly #bytes: Buffer;
  readonly #seen = new Uint8Array(DistinctKeys.#SLOTS);
  /** Random, so that a sender can't choose keys whose hashes collide. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  #count = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Returns the new count. */
  add(start: number, end: number): number {
    if (end - start > SHORT) return ++this.#count;
    let hash = this.#seed;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ this.#bytes[at]!, DistinctKeys.#PRIME);
    const slot = (hash ^ (hash >>> 15)) & (DistinctKeys.#SLOTS - 1);
    if (this.#seen[slot] === 0) {
      this.#seen[slot] = 1;
      this.#count += 1;
    }
    return this.#count;
  }
}

function endOfString(bytes: Buffer, start: number): number {
  for (let at = start; ;) {
    const short = at + SHORT;
    for (; at < short; at++) {
      if (bytes[at] === QUOTE) return at;
      if (bytes[at] === BACKSLASH) at += 1;
    }
    const end = bytes.indexOf(QUOTE, at);
    if (end < 0) return bytes.length;
    if (!isEscaped(bytes, end, at)) return end;
    at = end + 1;
  }
}

/** Returns true after an odd number of backslashes, counted back to `from`. */
function isEscaped(bytes: Buffer, at: number, from: number): boolean {
  let before = at;
  while (before > from && bytes[before - 1] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}
