/**
 * Checks the structure of a JSON text before it is parsed. Parsing many brackets or many different object shapes takes
 * up to a hundred times longer than parsing plain text. It blocks every other call in that time. The check works on
 * bytes, without recursion, and stops at the first exceeded bound.
 */
export interface JsonBounds {
  /** Nesting levels. A deeper value can be parsed but not serialised. */
  readonly depth: number;
  /** The sum of the depths of all lists and objects. Deeper ones take longer to serialise. */
  readonly depthSum: number;
  /** Brackets, commas and colons: one for each plain value and each key, two or three for each list and object. */
  readonly punctuation: number;
  /** Different shapes of objects: lists of keys. A new shape costs the parser far more than a repeated one. */
  readonly objectShapes: number;
}

/** Measured: one megabyte within these bounds parses in less than 100 ms. A list of 100 000 tools is within them. */
const BOUNDS: JsonBounds = { depth: 3500, depthSum: 20_000_000, punctuation: 1_000_000, objectShapes: 20_000 };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** The only bit that differs between `[` and `{`, and between `]` and `}`: `[ | BRACE_BIT` is `{`. */
const BRACE_BIT = 0x20;
/** The end of a longer string is found with `indexOf`. Most strings are shorter. */
const SHORT_STRING_LENGTH = 32;
/** Length of the shortest object member, `"a":1,`. */
const MIN_MEMBER_LENGTH = 6;

/** Returns a description of the exceeded bound, or undefined. Does not scan texts that are too small to exceed one. */
export function findExceededBound(json: string | Buffer, bounds: JsonBounds = BOUNDS): string | undefined {
  const { length } = json;
  // A shorter text can have neither too much punctuation nor too many object shapes.
  const canBeDense = length > Math.min(bounds.punctuation, MIN_MEMBER_LENGTH * bounds.objectShapes);
  // This many lists and objects exceed neither `depth` nor `depthSum`, even if all are nested in each other. The depths
  // of n nested ones add up to about n²/2.
  const safeNesting = Math.min(bounds.depth, Math.floor(Math.sqrt(2 * bounds.depthSum)) - 1);
  // Each level takes one character to open and one to close.
  if (!canBeDense && length <= 2 * safeNesting) return undefined;
  const bytes = typeof json === "string" ? Buffer.from(json) : json;
  // With few brackets and colons, only commas can exceed the bound on punctuation.
  const safeCommas = bounds.punctuation - 2 * safeNesting - bounds.objectShapes;
  const mayExceed =
    hasMoreThan(safeNesting, bytes, [OPEN_BRACKET, OPEN_BRACE]) ||
    (canBeDense && (hasMoreThan(bounds.objectShapes, bytes, [COLON]) || mayHaveMoreThan(safeCommas, bytes, COMMA)));
  return mayExceed ? scan(bytes, bounds) : undefined;
}

/** Counts inside strings too. Most large results are one long string with few brackets and colons. */
function hasMoreThan(limit: number, bytes: Buffer, wanted: readonly number[]): boolean {
  let found = 0;
  for (const byte of wanted) {
    for (let index = bytes.indexOf(byte); index >= 0; index = bytes.indexOf(byte, index + 1)) {
      if (++found > limit) return true;
    }
  }
  return false;
}

const SAMPLES = 2048;
const SAMPLE_BYTES = 64;
/** An estimate below this share of the limit is safe, because a sender can't predict the sampled places. */
const SAFE_SHARE = 1 / 3;

/**
 * Estimates the number from random samples, because counting a million commas takes longer than parsing. May return
 * true although there are fewer.
 */
function mayHaveMoreThan(limit: number, bytes: Buffer, wanted: number): boolean {
  if (bytes.length < SAMPLES * SAMPLE_BYTES) return true;
  let found = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = Math.floor(Math.random() * (bytes.length - SAMPLE_BYTES));
    for (let index = start; index < start + SAMPLE_BYTES; index++) if (bytes[index] === wanted) found += 1;
  }
  return (found / (SAMPLES * SAMPLE_BYTES)) * bytes.length > limit * SAFE_SHARE;
}

function scan(bytes: Buffer, bounds: JsonBounds): string | undefined {
  const shapes = new ObjectShapes(bytes);
  let depth = 0;
  let depthSum = 0;
  let punctuation = 0;
  let stringStart = 0;
  let stringEnd = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    if (byte === QUOTE) {
      stringStart = index + 1;
      index = stringEnd = endOfString(bytes, stringStart);
    } else if ((byte | BRACE_BIT) === OPEN_BRACE) {
      if (++depth > bounds.depth) return `it is nested more than ${bounds.depth} deep`;
      depthSum += depth;
      if (depthSum > bounds.depthSum)
        return `the depths of its lists and objects add up to more than ${bounds.depthSum}`;
      shapes.begin(depth);
      punctuation += 1;
    } else if ((byte | BRACE_BIT) === CLOSE_BRACE) {
      depth -= 1;
      punctuation += 1;
    } else if (byte === COMMA) {
      punctuation += 1;
    } else if (byte === COLON) {
      punctuation += 1;
      const found = shapes.add(depth, stringStart, stringEnd);
      if (found > bounds.objectShapes)
        return `it has more than ${bounds.objectShapes} different keys or shapes of objects`;
    }
    if (punctuation > bounds.punctuation) return `it has more than ${bounds.punctuation} brackets, commas and colons`;
  }
  return undefined;
}

/**
 * Counts the different shapes of objects: the ordered keys of an object up to each member. The parser caches each
 * shape. The count is approximate, because shapes with the same hash count once.
 */
class ObjectShapes {
  static readonly #SLOTS = 2 ** 18;
  static readonly #PRIME = 0x01000193;

  readonly #bytes: Buffer;
  readonly #seen = new Uint8Array(ObjectShapes.#SLOTS);
  /** Random, so that a sender can't choose keys whose hashes collide. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  /** The hash of the keys so far, for the open object at each depth. */
  readonly #open: number[] = [];
  #count = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  begin(depth: number): void {
    this.#open[depth] = this.#seed;
  }

  /** Adds a key to the open object at that depth. Returns the new count. */
  add(depth: number, start: number, end: number): number {
    // Starts each key with a byte that no key contains, so that the keys "a", "b" differ from the key "ab".
    let hash = Math.imul((this.#open[depth] ?? this.#seed) ^ 0xff, ObjectShapes.#PRIME);
    for (let index = start; index < end; index++) hash = Math.imul(hash ^ this.#bytes[index]!, ObjectShapes.#PRIME);
    hash ^= hash >>> 15;
    this.#open[depth] = hash;
    const slot = hash & (ObjectShapes.#SLOTS - 1);
    if (this.#seen[slot] === 0) {
      this.#seen[slot] = 1;
      this.#count += 1;
    }
    return this.#count;
  }
}

function endOfString(bytes: Buffer, start: number): number {
  for (let index = start; ;) {
    const shortEnd = index + SHORT_STRING_LENGTH;
    for (; index < shortEnd; index++) {
      if (bytes[index] === QUOTE) return index;
      if (bytes[index] === BACKSLASH) index += 1;
    }
    const end = bytes.indexOf(QUOTE, index);
    if (end < 0) return bytes.length;
    if (!isEscaped(bytes, end, index)) return end;
    index = end + 1;
  }
}

/** Returns true if an odd number of backslashes is before `index`. Counts them back to `from`. */
function isEscaped(bytes: Buffer, index: number, from: number): boolean {
  let start = index;
  while (start > from && bytes[start - 1] === BACKSLASH) start -= 1;
  return (index - start) % 2 === 1;
}
