/**
 * Reads the part of regular expressions that can be judged: literals, classes,
 * groups, alternatives, quantifiers and the simple assertions. Lookarounds and
 * references back are not judged; neither is anything unusual.
 */
export type Pattern =
  | { readonly type: "one of"; readonly chars: CharSet }
  | { readonly type: "empty" | "start" }
  | { readonly type: "sequence" | "either"; readonly parts: readonly Pattern[] }
  | { readonly type: "repeat"; readonly part: Pattern; readonly min: number; readonly max: number };

/** Ranges of code points, both ends included. May hold more than what matches, never less. */
export type CharSet = readonly (readonly [number, number])[];

/** Nothing for what is not judged. */
export function parsePattern(source: string): Pattern | undefined {
  // Without the `u` flag what lies beyond the basic plane is two characters.
  if (/[\ud800-\udfff]/.test(source)) return undefined;
  const reader = new Reader(source);
  try {
    const pattern = reader.either();
    return reader.ended ? pattern : undefined;
  } catch (thrown) {
    if (thrown instanceof NotJudged) return undefined;
    throw thrown;
  }
}

class NotJudged extends Error {}

/** Of a class. */
const MAX_RANGES = 60;

const ANY: CharSet = [[0, 0x10ffff]];
const DIGIT: CharSet = [[48, 57]];
const WORD: CharSet = [DIGIT[0]!, [65, 90], [95, 95], [97, 122]];
const SPACE: CharSet = [
  ...([
    [9, 13],
    [32, 32],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
  ] as const),
  ...([
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ] as const),
];
const LINE_ENDS: CharSet = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const ESCAPED_SETS = new Map<string, CharSet>([
  ["d", DIGIT],
  ["w", WORD],
  ["s", SPACE],
  ["D", not(DIGIT)],
  ["W", not(WORD)],
  ["S", not(SPACE)],
]);
const ESCAPED_CHARS = new Map([
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
  ["0", 0],
]);

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get ended(): boolean {
    return this.#at >= this.#source.length;
  }

  either(): Pattern {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { type: "either", parts };
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    while (!this.ended && !this.#sees("|") && !this.#sees(")")) parts.push(this.#quantified(this.#atom()));
    return { type: "sequence", parts };
  }

  #atom(): Pattern {
    if (this.#take("^")) return { type: "start" };
    if (this.#take("$")) return { type: "empty" };
    if (this.#take("\\b") || this.#take("\\B")) return { type: "empty" };
    if (this.#take("(")) return this.#group();
    if (this.#take(".")) return { type: "one of", chars: not(LINE_ENDS) };
    if (this.#take("[")) return { type: "one of", chars: this.#class() };
    if ("*+?{}]".includes(this.#source[this.#at]!)) throw new NotJudged();
    return { type: "one of", chars: this.#character() };
  }

  #group(): Pattern {
    if (this.#take("?")) {
      const named = /^<[A-Za-z]\w*>/.exec(this.#source.slice(this.#at, this.#at + 50));
      if (named) this.#at += named[0].length;
      else if (!this.#take(":")) throw new NotJudged();
    }
    const inner = this.either();
    if (!this.#take(")")) throw new NotJudged();
    return inner;
  }

  #quantified(part: Pattern): Pattern {
    const count = /^(?:[*+?]|\{(\d{1,5})(,(\d{1,5})?)?\})/.exec(this.#source.slice(this.#at, this.#at + 20));
    if (!count) return part;
    this.#at += count[0].length;
    this.#take("?");
    const [sign, least, comma, most] = count;
    if (sign === "?") return { type: "repeat", part, min: 0, max: 1 };
    if (least === undefined) return { type: "repeat", part, min: sign === "+" ? 1 : 0, max: Infinity };
    const max = most !== undefined ? Number(most) : comma ? Infinity : Number(least);
    return { type: "repeat", part, min: Number(least), max };
  }

  #class(): CharSet {
    const negated = this.#take("^");
    const chars: (readonly [number, number])[] = [];
    while (!this.#take("]")) {
      if (this.ended || chars.length > MAX_RANGES) throw new NotJudged();
      const from = this.#take("\\b") ? ([[8, 8]] as const) : this.#character();
      chars.push(...from);
      if (!this.#sees("-") || this.#sees("-]")) continue;
      this.#at += 1;
      const to = this.#character();
      if (isSingle(from) && isSingle(to)) chars.push([from[0]![0], to[0]![0]]);
      else chars.push(...to, [45, 45]);
    }
    return negated ? not(chars) : chars;
  }

  /** One character, or what an escape stands for. */
  #character(): CharSet {
    if (!this.#take("\\")) return single(this.#next().charCodeAt(0));
    const escaped = this.#next();
    const set = ESCAPED_SETS.get(escaped);
    if (set) return set;
    if (escaped === "u" || escaped === "x") return single(this.#hex(escaped === "u" ? 4 : 2));
    const code = ESCAPED_CHARS.get(escaped);
    if (code !== undefined && !/^\d/.test(this.#source.slice(this.#at))) return single(code);
    if (/[A-Za-z0-9]/.test(escaped)) throw new NotJudged();
    return single(escaped.charCodeAt(0));
  }

  #hex(digits: number): number {
    const text = this.#source.slice(this.#at, this.#at + digits);
    if (text.length < digits || !/^[0-9a-f]+$/i.test(text)) throw new NotJudged();
    this.#at += digits;
    const code = Number.parseInt(text, 16);
    if (code >= 0xd800 && code <= 0xdfff) throw new NotJudged();
    return code;
  }

  #next(): string {
    if (this.ended) throw new NotJudged();
    return this.#source[this.#at++]!;
  }

  #sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }
}

function single(code: number): CharSet {
  return [[code, code]];
}

function isSingle(set: CharSet): boolean {
  return set.length === 1 && set[0]![0] === set[0]![1];
}

function not(set: CharSet): CharSet {
  const outside: (readonly [number, number])[] = [];
  let from = 0;
  for (const [low, high] of set.toSorted(([a], [b]) => a - b)) {
    if (low > from) outside.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  return from <= ANY[0]![1] ? [...outside, [from, ANY[0]![1]]] : outside;
}
