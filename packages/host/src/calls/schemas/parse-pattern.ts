/**
 * Parses the regular expressions whose cost can be estimated: literals, classes, groups, alternatives, quantifiers and
 * simple assertions. Does not support lookarounds, back references and rare syntax.
 */
export type Pattern =
  /** Matches one character of the set. */
  | { readonly type: "one of"; readonly chars: CharSet }
  /** Matches no characters. `start` is the anchor `^`. */
  | { readonly type: "empty" | "start" }
  | { readonly type: "sequence" | "either"; readonly parts: readonly Pattern[] }
  | { readonly type: "repeat"; readonly part: Pattern; readonly min: number; readonly max: number };

/**
 * Inclusive ranges of code points. The ranges may contain more characters than the pattern matches, but never fewer.
 */
export type CharSet = readonly (readonly [number, number])[];

/** Returns undefined for an unsupported pattern. */
export function parsePattern(source: string): Pattern | undefined {
  // Without the `u` flag, a character beyond U+FFFF counts as two.
  if (/[\ud800-\udfff]/.test(source)) return undefined;
  const reader = new PatternReader(source);
  try {
    const pattern = reader.alternatives();
    return reader.ended ? pattern : undefined;
  } catch (thrown) {
    if (thrown instanceof UnsupportedPattern) return undefined;
    throw thrown;
  }
}

class UnsupportedPattern extends Error {}

/** Limits the ranges of a character class. */
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
const HYPHEN = [45, 45] as const;
const LINE_ENDS: CharSet = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const ESCAPED_SETS = new Map<string, CharSet>([
  ["d", DIGIT],
  ["w", WORD],
  ["s", SPACE],
  ["D", complement(DIGIT)],
  ["W", complement(WORD)],
  ["S", complement(SPACE)],
]);
const ESCAPED_CHARS = new Map([
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
  ["0", 0],
]);

class PatternReader {
  readonly #source: string;
  #position = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get ended(): boolean {
    return this.#position >= this.#source.length;
  }

  alternatives(): Pattern {
    const parts = [this.#sequence()];
    while (this.#consume("|")) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { type: "either", parts };
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    while (!this.ended && !this.#startsWith("|") && !this.#startsWith(")")) parts.push(this.#quantified(this.#atom()));
    return { type: "sequence", parts };
  }

  #atom(): Pattern {
    if (this.#consume("^")) return { type: "start" };
    if (this.#consume("$")) return { type: "empty" };
    if (this.#consume("\\b") || this.#consume("\\B")) return { type: "empty" };
    if (this.#consume("(")) return this.#group();
    if (this.#consume(".")) return { type: "one of", chars: complement(LINE_ENDS) };
    if (this.#consume("[")) return { type: "one of", chars: this.#class() };
    if ("*+?{}]".includes(this.#source[this.#position]!)) throw new UnsupportedPattern();
    return { type: "one of", chars: this.#character() };
  }

  #group(): Pattern {
    if (this.#consume("?")) {
      const named = /^<[A-Za-z]\w*>/.exec(this.#source.slice(this.#position, this.#position + 50));
      if (named) this.#position += named[0].length;
      else if (!this.#consume(":")) throw new UnsupportedPattern();
    }
    const inner = this.alternatives();
    if (!this.#consume(")")) throw new UnsupportedPattern();
    return inner;
  }

  #quantified(part: Pattern): Pattern {
    const count = /^(?:[*+?]|\{(\d{1,5})(,(\d{1,5})?)?\})/.exec(
      this.#source.slice(this.#position, this.#position + 20),
    );
    if (!count) return part;
    this.#position += count[0].length;
    // The `?` of a lazy quantifier does not matter: it repeats as often as a greedy quantifier.
    this.#consume("?");
    const [quantifier, least, comma, most] = count;
    if (quantifier === "?") return { type: "repeat", part, min: 0, max: 1 };
    if (least === undefined) return { type: "repeat", part, min: quantifier === "+" ? 1 : 0, max: Infinity };
    const max = most !== undefined ? Number(most) : comma ? Infinity : Number(least);
    return { type: "repeat", part, min: Number(least), max };
  }

  #class(): CharSet {
    const negated = this.#consume("^");
    const chars: (readonly [number, number])[] = [];
    while (!this.#consume("]")) {
      if (this.ended || chars.length > MAX_RANGES) throw new UnsupportedPattern();
      // In a class, `\b` is a backspace.
      const from = this.#consume("\\b") ? single(8) : this.#character();
      chars.push(...from);
      if (!this.#startsWith("-") || this.#startsWith("-]")) continue;
      this.#position += 1;
      const to = this.#character();
      if (isSingle(from) && isSingle(to)) chars.push([from[0]![0], to[0]![0]]);
      else chars.push(...to, HYPHEN);
    }
    return negated ? complement(chars) : chars;
  }

  /** Parses one character or escape. */
  #character(): CharSet {
    if (!this.#consume("\\")) return single(this.#next().charCodeAt(0));
    const escaped = this.#next();
    const set = ESCAPED_SETS.get(escaped);
    if (set) return set;
    if (escaped === "u" || escaped === "x") return single(this.#hex(escaped === "u" ? 4 : 2));
    const code = ESCAPED_CHARS.get(escaped);
    if (code !== undefined && !/^\d/.test(this.#source.slice(this.#position))) return single(code);
    if (/[A-Za-z0-9]/.test(escaped)) throw new UnsupportedPattern();
    return single(escaped.charCodeAt(0));
  }

  #hex(digits: number): number {
    const text = this.#source.slice(this.#position, this.#position + digits);
    if (text.length < digits || !/^[0-9a-f]+$/i.test(text)) throw new UnsupportedPattern();
    this.#position += digits;
    const code = Number.parseInt(text, 16);
    if (code >= 0xd800 && code <= 0xdfff) throw new UnsupportedPattern();
    return code;
  }

  #next(): string {
    if (this.ended) throw new UnsupportedPattern();
    return this.#source[this.#position++]!;
  }

  #startsWith(text: string): boolean {
    return this.#source.startsWith(text, this.#position);
  }

  #consume(text: string): boolean {
    if (!this.#startsWith(text)) return false;
    this.#position += text.length;
    return true;
  }
}

function single(code: number): CharSet {
  return [[code, code]];
}

function isSingle(set: CharSet): boolean {
  return set.length === 1 && set[0]![0] === set[0]![1];
}

function complement(set: CharSet): CharSet {
  const outside: (readonly [number, number])[] = [];
  let from = 0;
  for (const [low, high] of set.toSorted(([a], [b]) => a - b)) {
    if (low > from) outside.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  return from <= ANY[0]![1] ? [...outside, [from, ANY[0]![1]]] : outside;
}
