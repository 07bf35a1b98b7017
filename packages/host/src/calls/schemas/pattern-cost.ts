/**
 * Whether matching a pattern takes time in proportion to the text, whatever the
 * text. The engine tries one way after another, so it is slow where a text can
 * be matched in many ways. Each character of the pattern becomes a position,
 * and each position knows which positions may match next, once for every way to
 * get there. Where in a loop two of them can match the same character, ways
 * multiply with the text; outside loops they multiply only with the pattern.
 */
import { parsePattern } from "./parse-pattern.ts";
import type { CharSet, Pattern } from "./parse-pattern.ts";

/** What is more intricate is not judged, as judging takes time, too. */
const MAX_LENGTH = 1_000;
const MAX_POSITIONS = 200;
const MAX_FOLLOWING = 1_000;
const MAX_WAYS = 64;

/** How often a character may be looked at; nothing if that is not bounded or can't be told. */
export function patternCost(source: string): number | undefined {
  const pattern = source.length > MAX_LENGTH ? undefined : parsePattern(source);
  if (!pattern) return undefined;
  const positions = new Positions();
  const whole = positions.of(pattern);
  if (!whole) return undefined;
  const loops = positions.inLoops();
  // A pattern without an anchor is tried from every character on.
  if (!isAnchored(pattern) && loops.size > 0) return undefined;
  let ways = choices(whole.first.map((next) => positions.chars[next]!));
  for (const [position, following] of positions.following.entries()) {
    const ambiguous = choices(following.map((next) => positions.chars[next]!));
    if (ambiguous > 1 && loops.has(position)) return undefined;
    ways *= ambiguous;
    if (ways > MAX_WAYS) return undefined;
  }
  return isAnchored(pattern) ? ways : ways * (positions.chars.length + 1);
}

interface Part {
  /** Whether it matches nothing at all, too: at most in one way. */
  readonly optional: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const NOTHING: Part = { optional: true, first: [], last: [] };

class Positions {
  readonly chars: CharSet[] = [];
  readonly following: number[][] = [];
  #ways = 0;

  /** Nothing if there are too many, or more than one way to match nothing. */
  of(pattern: Pattern): Part | undefined {
    switch (pattern.type) {
      case "empty":
      case "start":
        return NOTHING;
      case "one of": {
        if (this.chars.length >= MAX_POSITIONS) return undefined;
        const position = this.chars.push(pattern.chars) - 1;
        this.following.push([]);
        return { optional: false, first: [position], last: [position] };
      }
      case "sequence":
        return pattern.parts.reduce<Part | undefined>((before, part) => this.#join(before, this.of(part)), NOTHING);
      case "either":
        return either(pattern.parts.map((part) => this.of(part)));
      case "repeat":
        return this.#repeat(pattern);
    }
  }

  /** The positions from which a way leads back to them. */
  inLoops(): Set<number> {
    return new Set([...this.chars.keys()].filter((position) => this.#reaches(position, position)));
  }

  #reaches(from: number, to: number): boolean {
    const seen = new Set<number>();
    const open = [...this.following[from]!];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (at === to) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      open.push(...this.following[at]!);
    }
    return false;
  }

  #join(before: Part | undefined, after: Part | undefined): Part | undefined {
    if (!before || !after || !this.#follow(before, after)) return undefined;
    return {
      optional: before.optional && after.optional,
      first: before.optional ? [...before.first, ...after.first] : before.first,
      last: after.optional ? [...before.last, ...after.last] : after.last,
    };
  }

  #follow(before: Part, after: Part): boolean {
    this.#ways += before.last.length * after.first.length;
    if (this.#ways > MAX_FOLLOWING) return false;
    for (const position of before.last) this.following[position]!.push(...after.first);
    return true;
  }

  /** Written out: `x{2,4}` is `xx(x(x)?)?`, `x{2,}` is `xx+`. */
  #repeat({ part, min, max }: Extract<Pattern, { type: "repeat" }>): Part | undefined {
    if (max === 0) return NOTHING;
    const copies = max === Infinity ? Math.max(min, 1) : max;
    if (copies > MAX_POSITIONS) return undefined;
    let whole: Part | undefined;
    for (let copy = copies; copy > 0; copy--) {
      const one = this.of(part);
      if (!one || one.optional) return undefined;
      if (max === Infinity && copy === copies && !this.#follow(one, one)) return undefined;
      whole = whole ? this.#join(one, whole) : one;
      if (copy > min) whole = whole && { ...whole, optional: true };
    }
    return whole;
  }
}

function either(parts: readonly (Part | undefined)[]): Part | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length || known.filter((part) => part.optional).length > 1) return undefined;
  return {
    optional: known.some((part) => part.optional),
    first: known.flatMap((part) => part.first),
    last: known.flatMap((part) => part.last),
  };
}

/** Among how many of these a character may leave a choice. */
function choices(sets: readonly CharSet[]): number {
  const shared = sets.filter((set, at) => sets.some((other, otherAt) => at !== otherAt && overlap(set, other)));
  return Math.max(1, shared.length);
}

function overlap(one: CharSet, other: CharSet): boolean {
  return one.some(([low, high]) => other.some(([from, to]) => low <= to && from <= high));
}

function isAnchored(pattern: Pattern): boolean {
  switch (pattern.type) {
    case "start":
      return true;
    case "sequence":
      return pattern.parts[0] !== undefined && isAnchored(pattern.parts[0]);
    case "either":
      return pattern.parts.every(isAnchored);
    default:
      return false;
  }
}
