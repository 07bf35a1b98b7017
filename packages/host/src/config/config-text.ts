/** A config file's text as a value whose every part knows its line and column. */
import { getNodeValue, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";

export interface Place {
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
  readonly syntaxError?: Place & { readonly what: string };
  readonly placeOf: (node: Node) => Place;
}

/** Comments and trailing commas are fine; a byte-order mark is looked past. */
export function parseConfigText(text: string): ConfigText {
  const errors: ParseError[] = [];
  const body = text.replace(/^\ufeff/, "");
  const root = parseTree(body, errors, { allowTrailingComma: true });
  const placeAt = (offset: number): Place => {
    const before = body.slice(0, offset).split("\n");
    return { line: before.length, column: before.at(-1)!.length + 1 };
  };
  const placeOf = (node: Node) => placeAt(node.offset);
  const [first] = errors;
  if (!first) return { root, placeOf };
  return { root, placeOf, syntaxError: { ...placeAt(first.offset), what: spaced(printParseErrorCode(first.error)) } };
}

/** The members of an object, in order, duplicates included. */
export function members(node: Node | undefined): Member[] {
  if (node?.type !== "object") return [];
  return (node.children ?? []).flatMap((property) => {
    const [at, value] = property.children ?? [];
    return at && value ? [{ key: String(at.value), at, value }] : [];
  });
}

/** The last one wins, as in JSON. */
export function find(node: Node | undefined, key: string): Member | undefined {
  return members(node).findLast((entry) => entry.key === key);
}

/** By key, in order of first appearance. */
export function grouped(all: readonly Member[]): Map<string, [Member, ...Member[]]> {
  const groups = new Map<string, [Member, ...Member[]]>();
  for (const one of all) {
    const group = groups.get(one.key);
    if (group) group.push(one);
    else groups.set(one.key, [one]);
  }
  return groups;
}

export function valueOf(node: Node): unknown {
  return getNodeValue(node);
}

/** `CommaExpected` → `comma expected` */
function spaced(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
