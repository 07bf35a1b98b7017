/**
 * Patterns for paths: `*` and `?` within a name, `**` for any number of folders, `[a-z]`, `{a,b}`. Matching does not
 * try all combinations, so no pattern is slow. Pure.
 */

export interface PathGlob {
  /** Matches a relative path, given by its names. */
  matches(names: readonly string[]): boolean;
}

type CharacterTest = (character: string) => boolean;
/** A part of a name: one character, or any number of characters. */
type NamePart = CharacterTest | "any";
/** A part of a path: one name, or any number of names. */
type PathPart = ((name: string) => boolean) | "any";

const MAX_ALTERNATIVES = 100;

/** A pattern without a slash matches names in every folder. */
export function parsePathGlob(pattern: string): PathGlob {
  const alternatives = expandBraces(pattern).map(parseAlternative);
  return { matches: (names) => alternatives.some((parts) => matchesSequence(parts, names)) };
}

/** Parses one pattern without braces, as in a .gitignore file. */
export function parsePlainGlob(pattern: string): PathGlob {
  const parts = parseAlternative(pattern);
  return { matches: (names) => matchesSequence(parts, names) };
}

function parseAlternative(pattern: string): PathPart[] {
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  const anywhere = !pattern.includes("/");
  const parts = segments.flatMap((segment, index): PathPart[] => {
    if (segment !== "**") return [parseName(segment)];
    // `folder/**` matches what is in the folder, but not the folder itself.
    return index === segments.length - 1 ? ["any", () => true] : ["any"];
  });
  return anywhere ? ["any", ...parts] : parts;
}

function parseName(segment: string): (name: string) => boolean {
  const parts: NamePart[] = [];
  const characters = Array.from(segment);
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index]!;
    if (character === "*") parts.push("any");
    else if (character === "?") parts.push(() => true);
    else if (character === "[") {
      const end = characters.indexOf("]", index + 2);
      if (end < 0) parts.push((other) => other === "[");
      else {
        parts.push(parseClass(characters.slice(index + 1, end)));
        index = end;
      }
    } else {
      const literal = character === "\\" && index + 1 < characters.length ? characters[++index]! : character;
      parts.push((other) => other === literal);
    }
  }
  return (name) => matchesSequence(parts, Array.from(name));
}

function parseClass(characters: readonly string[]): CharacterTest {
  const negated = characters[0] === "!" || characters[0] === "^";
  const members = negated ? characters.slice(1) : characters;
  const ranges: [string, string][] = [];
  for (let index = 0; index < members.length; index++) {
    const isRange = members[index + 1] === "-" && index + 2 < members.length;
    ranges.push([members[index]!, members[isRange ? index + 2 : index]!]);
    if (isRange) index += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated;
}

/**
 * After a mismatch, goes back only to the last "any", which suffices. So the
 * time is at most the product of both lengths.
 */
function matchesSequence<T>(parts: readonly (((item: T) => boolean) | "any")[], items: readonly T[]): boolean {
  let [part, item] = [0, 0];
  let retry: { part: number; item: number } | undefined;
  while (item < items.length) {
    const current = parts[part];
    if (current === "any") {
      retry = { part: part + 1, item };
      part++;
    } else if (current?.(items[item]!)) {
      part++;
      item++;
    } else if (retry) {
      retry.item++;
      ({ part, item } = retry);
    } else return false;
  }
  return parts.slice(part).every((rest) => rest === "any");
}

/** Returns the pattern itself if its braces do not match, or if there would be too many alternatives. */
function expandBraces(pattern: string): string[] {
  let expanded = [pattern];
  for (let rounds = 0; rounds < MAX_ALTERNATIVES; rounds++) {
    const next = expanded.flatMap(expandFirstBrace);
    if (next.length > MAX_ALTERNATIVES) return [pattern];
    if (next.length === expanded.length && next.every((text, index) => text === expanded[index])) return expanded;
    expanded = next;
  }
  return [pattern];
}

/** Expands an innermost pair of braces that contains a comma. */
function expandFirstBrace(pattern: string): string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (!found) return [pattern];
  const [before, after] = [pattern.slice(0, found.index), pattern.slice(found.index + found[0].length)];
  return found[1]!.split(",").map((choice) => `${before}${choice}${after}`);
}
