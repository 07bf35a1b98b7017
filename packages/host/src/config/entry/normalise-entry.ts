/**
 * Converts the keys of a server's entry to Plugboard's own spelling, and remembers where each key is in the file.
 * Does not validate values.
 */
import { findNodeAtLocation } from "jsonc-parser";
import type { Node } from "jsonc-parser";
import { groupByKey, membersOf, nodeValue } from "../parse/config-text.ts";
import type { Member } from "../parse/config-text.ts";
import { ENTRY_TABLE, NESTED_TABLES, keyMappingFor } from "./entry-keys.ts";
import type { KeyTable, KeyMapping } from "./entry-keys.ts";
import { quoteJson } from "../parse/diagnostics.ts";
import { timeoutMappingFor } from "./timeout-unit.ts";

export interface NormalisedEntry {
  readonly entry: RawEntry;
  /** Unknown keys, with their positions and the keys that are known in the same place. */
  readonly unknownKeys: readonly {
    readonly key: string;
    readonly spelling: string;
    readonly at: Node;
    readonly known: readonly string[];
  }[];
  /** Values that are accepted but are probably mistakes. */
  readonly warnings: readonly { readonly spelling: string; readonly node: Node; readonly what: string }[];
  /** A key that occurs twice, in any spelling. */
  readonly duplicate: { readonly what: string; readonly nodes: readonly Node[] } | undefined;
  /** Returns the file's spelling of a path and the node there, or the nearest parent node. */
  readonly locate: (path: readonly string[]) => { readonly spelling: string; readonly node: Node };
}

export interface RawEntry {
  readonly [key: string]: unknown;
}

interface EntryPart {
  readonly path: string;
  readonly spelling: string;
  readonly at: Node;
  readonly node: Node;
  readonly meaning: KeyMapping;
}

/** `file` decides the unit of `timeout`, because clients use different units. */
export function normaliseEntry(node: Node, file: string): NormalisedEntry {
  const unknownKeys: NormalisedEntry["unknownKeys"][number][] = [];
  const table = { ...ENTRY_TABLE, aliases: { ...ENTRY_TABLE.aliases, timeout: timeoutMappingFor(file) } };
  const parts = partsOf(membersOf(node), table, undefined, unknownKeys);
  return {
    entry: assemble(parts),
    unknownKeys,
    warnings: parts.flatMap(({ spelling, node, meaning }) => {
      const what = meaning.warn?.(nodeValue(node));
      return what === undefined ? [] : [{ spelling, node, what }];
    }),
    duplicate: findDuplicate(parts),
    locate: (path) => locate(path, parts, node),
  };
}

/** Lists an object with known keys, such as `auth`, before its members. */
function partsOf(
  all: readonly Member[],
  table: KeyTable,
  outer: EntryPart | undefined,
  unknown: object[],
): EntryPart[] {
  return all.flatMap(({ key, at, value: node }) => {
    const meaning = keyMappingFor(key, table);
    const spelling = outer ? `${outer.spelling}.${key}` : key;
    if (!meaning) {
      unknown.push({ key, spelling, at, known: table.keys });
      return [];
    }
    const path = [...(outer ? [outer.path] : []), ...meaning.path].join(".");
    const part: EntryPart = { path, spelling, at, node, meaning };
    const inner = node.type === "object" ? NESTED_TABLES.get(path) : undefined;
    return inner ? [part, ...partsOf(membersOf(node), inner, part, unknown)] : [part];
  });
}

function assemble(parts: readonly EntryPart[]): RawEntry {
  const entry: { [key: string]: unknown } = {};
  for (const { path, node, meaning } of parts) {
    const [first, second] = path.split(".") as [string, string?];
    const isContainer = second === undefined && NESTED_TABLES.has(first) && node.type === "object";
    const value = isContainer ? { ...(entry[first] as object), ...meaning.impliedFields } : convert(node, meaning);
    if (second === undefined) entry[first] = value;
    else if (isObject(entry[first] ?? {})) entry[first] = { ...(entry[first] as object), [second]: value };
  }
  return entry;
}

function convert(node: Node, { convert }: KeyMapping): unknown {
  return convert ? convert(nodeValue(node)) : nodeValue(node);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function findDuplicate(parts: readonly EntryPart[]): NormalisedEntry["duplicate"] {
  const groups = groupByKey(parts.map(({ path, at, node }) => ({ key: path, at, value: node })));
  for (const [path, duplicates] of groups) {
    if (duplicates.length > 1) return { what: quoteJson(path), nodes: duplicates.map(({ at }) => at) };
    // The members of keys with a table are in the list themselves.
    const inside = NESTED_TABLES.has(path) ? undefined : findNestedDuplicate(duplicates[0].value, path);
    if (inside) return inside;
  }
  return undefined;
}

/** Finds a duplicate key inside an object such as `env`, at any depth. */
function findNestedDuplicate(node: Node, path: string): NormalisedEntry["duplicate"] {
  for (const [name, duplicates] of groupByKey(membersOf(node))) {
    const what = `${path}.${name}`;
    if (duplicates.length > 1) return { what: quoteJson(what), nodes: duplicates.map(({ at }) => at) };
    const deeper = findNestedDuplicate(duplicates[0].value, what);
    if (deeper) return deeper;
  }
  return undefined;
}

/** Starts at the longest part of the path that the file contains. */
function locate(path: readonly string[], parts: readonly EntryPart[], root: Node): { spelling: string; node: Node } {
  for (let length = path.length; length > 0; length--) {
    const part = parts.find((one) => one.path === path.slice(0, length).join("."));
    if (!part) continue;
    const rest = path.slice(length);
    const keys = rest.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    return { spelling: [part.spelling, ...rest].join("."), node: findNodeAtLocation(part.node, keys) ?? part.node };
  }
  return { spelling: path.join("."), node: root };
}
