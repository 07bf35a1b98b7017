/**
 * Estimates whether a regular expression matches in linear time. A backtracking engine is slow if a text can match in
 * many ways.
 *
 * Each character of the pattern becomes a position, with a list of the positions that may match next. If two of these
 * next positions can match the same character, there are several ways. In a loop, their number grows with the text.
 * Outside loops, it grows only with the pattern.
 */
import { parsePattern } from "./parse-pattern.ts";
import type { CharSet, Pattern } from "./parse-pattern.ts";

/** A pattern beyond these limits is not assessed, because that would take too long. */
const MAX_LENGTH = 1_000;
const MAX_POSITIONS = 200;
const MAX_EDGES = 1_000;
const MAX_PATHS = 64;

/** Returns how often a character may be visited. Returns undefined if that is unbounded or unknown. */
export function patternCost(source: string): number | undefined {
  const pattern = source.length > MAX_LENGTH ? undefined : parsePattern(source);
  if (!pattern) return undefined;
  const positions = new PositionGraph();
  const whole = positions.add(pattern);
  if (!whole) return undefined;
  const loops = positions.positionsInLoops();
  // A pattern without an anchor is tried at every character, so a loop would take quadratic time.
  if (!isAnchored(pattern) && loops.size > 0) return undefined;
  let paths = ambiguity(whole.first.map((next) => positions.chars[next]!));
  for (const [position, following] of positions.next.entries()) {
    const ambiguous = ambiguity(following.map((next) => positions.chars[next]!));
    if (ambiguous > 1 && loops.has(position)) return undefined;
    paths *= ambiguous;
    if (paths > MAX_PATHS) return undefined;
  }
  // Without an anchor, a match may begin at each character. Without a loop, it has at most one character per position.
  return isAnchored(pattern) ? paths : paths * (positions.chars.length + 1);
}

/** A part of the pattern in the graph: the positions that match its first and its last character. */
interface Fragment {
  /** Whether the fragment also matches the empty text, in at most one way. */
  readonly optional: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const EMPTY_FRAGMENT: Fragment = { optional: true, first: [], last: [] };

class PositionGraph {
  /** The characters that match at each position. */
  readonly chars: CharSet[] = [];
  /** The positions that may match after each position. */
  readonly next: number[][] = [];
  #edgeCount = 0;

  /** Returns undefined if there are too many positions, or several ways to match the empty text. */
  add(pattern: Pattern): Fragment | undefined {
    switch (pattern.type) {
      case "empty":
      case "start":
        return EMPTY_FRAGMENT;
      case "one of": {
        if (this.chars.length >= MAX_POSITIONS) return undefined;
        const position = this.chars.push(pattern.chars) - 1;
        this.next.push([]);
        return { optional: false, first: [position], last: [position] };
      }
      case "sequence":
        return pattern.parts.reduce<Fragment | undefined>(
          (before, part) => this.#join(before, this.add(part)),
          EMPTY_FRAGMENT,
        );
      case "either":
        return unionOf(pattern.parts.map((part) => this.add(part)));
      case "repeat":
        return this.#repeat(pattern);
    }
  }

  /** Returns the positions that can reach themselves. */
  positionsInLoops(): Set<number> {
    return new Set([...this.chars.keys()].filter((position) => this.#reaches(position, position)));
  }

  #reaches(from: number, to: number): boolean {
    const seen = new Set<number>();
    const open = [...this.next[from]!];
    for (let position = open.pop(); position !== undefined; position = open.pop()) {
      if (position === to) return true;
      if (seen.has(position)) continue;
      seen.add(position);
      open.push(...this.next[position]!);
    }
    return false;
  }

  #join(before: Fragment | undefined, after: Fragment | undefined): Fragment | undefined {
    if (!before || !after || !this.#connect(before, after)) return undefined;
    return {
      optional: before.optional && after.optional,
      first: before.optional ? [...before.first, ...after.first] : before.first,
      last: after.optional ? [...before.last, ...after.last] : after.last,
    };
  }

  #connect(before: Fragment, after: Fragment): boolean {
    this.#edgeCount += before.last.length * after.first.length;
    if (this.#edgeCount > MAX_EDGES) return false;
    for (const position of before.last) this.next[position]!.push(...after.first);
    return true;
  }

  /** Expands the repetition from its last copy to its first: `x{2,4}` to `xx(x(x)?)?`, and `x{2,}` to `xx+`. */
  #repeat({ part, min, max }: Extract<Pattern, { type: "repeat" }>): Fragment | undefined {
    if (max === 0) return EMPTY_FRAGMENT;
    const copies = max === Infinity ? Math.max(min, 1) : max;
    if (copies > MAX_POSITIONS) return undefined;
    let whole: Fragment | undefined;
    for (let copy = copies; copy > 0; copy--) {
      const one = this.add(part);
      // If copies may be empty, a text matches in several ways.
      if (!one || one.optional) return undefined;
      if (max === Infinity && copy === copies && !this.#connect(one, one)) return undefined;
      whole = whole ? this.#join(one, whole) : one;
      if (copy > min) whole = whole && { ...whole, optional: true };
    }
    return whole;
  }
}

function unionOf(parts: readonly (Fragment | undefined)[]): Fragment | undefined {
  const fragments = parts.filter((part) => part !== undefined);
  const isComplete = fragments.length === parts.length;
  if (!isComplete || fragments.filter((part) => part.optional).length > 1) return undefined;
  return {
    optional: fragments.some((part) => part.optional),
    first: fragments.flatMap((part) => part.first),
    last: fragments.flatMap((part) => part.last),
  };
}

/** Returns how many of the sets overlap with another set, at least 1. */
function ambiguity(sets: readonly CharSet[]): number {
  const shared = sets.filter((set, index) =>
    sets.some((other, otherIndex) => index !== otherIndex && overlaps(set, other)),
  );
  return Math.max(1, shared.length);
}

function overlaps(one: CharSet, other: CharSet): boolean {
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
