/** Parses the text of a config file into nodes with line and column. */
import { getNodeValue, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";

export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Member {
  readonly key: string;
  readonly at: Node;
  readonly value: Node;
}

export interface ConfigText {
  readonly root: Node | undefined;
  /** True for a text of only white space and comments. */
  readonly empty: boolean;
  readonly syntaxError?: Position & { readonly what: string };
  readonly positionOf: (node: Node) => Position;
}

/** Far deeper than a person writes. Protects the recursive parser from a stack overflow. */
const MAX_DEPTH = 100;

/** Accepts comments and trailing commas. Skips a byte-order mark. */
export function parseConfigText(text: string): ConfigText {
  const body = text.replace(/^\ufeff/, "");
  const positionAt = positionLookup(body);
  const positionOf = (node: Node) => positionAt(node.offset);
  const deep = findTooDeep(body);
  if (deep !== undefined) {
    const syntaxError = { ...positionAt(deep), what: `more than ${MAX_DEPTH} levels` };
    return { root: undefined, empty: false, positionOf, syntaxError };
  }
  const errors: ParseError[] = [];
  const root = parseTree(body, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (!first) return { root, empty: false, positionOf };
  const code = printParseErrorCode(first.error);
  const empty = !root && code === "ValueExpected";
  return { root, empty, positionOf, syntaxError: { ...positionAt(first.offset), what: toWords(code) } };
}

/** Returns the members of an object in order, including duplicates. */
export function membersOf(node: Node | undefined): Member[] {
  if (node?.type !== "object") return [];
  return (node.children ?? []).flatMap((property) => {
    const [at, value] = property.children ?? [];
    return at && value ? [{ key: String(at.value), at, value }] : [];
  });
}

/** Returns the last of duplicate members, as JSON does. */
export function findMember(node: Node | undefined, key: string): Member | undefined {
  return membersOf(node).findLast((entry) => entry.key === key);
}

/** Groups members by key, in order of first appearance. */
export function groupByKey(members: readonly Member[]): Map<string, [Member, ...Member[]]> {
  const groups = new Map<string, [Member, ...Member[]]>();
  for (const one of members) {
    const group = groups.get(one.key);
    if (group) group.push(one);
    else groups.set(one.key, [one]);
  }
  return groups;
}

export function nodeValue(node: Node): unknown {
  return getNodeValue(node);
}

/** Indexes the line starts once, because a file may have many problems. */
function positionLookup(body: string): (offset: number) => Position {
  const starts = [0, ...[...body.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  };
}

/**
 * Returns the offset of the first bracket beyond the limit, ignoring strings and comments. The pattern also
 * consumes unterminated strings and comments, because searching the end of each would take quadratic time.
 */
function findTooDeep(body: string): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of body.matchAll(/"(?:[^"\\\n\r]|\\.)*"?|\/\/.*|\/\*[^]*?(?:\*\/|$)|[[{\]}]/g)) {
    if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth--;
    if (depth > MAX_DEPTH) return index;
  }
  return undefined;
}

/** Converts `CommaExpected` to `comma expected`. */
function toWords(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
