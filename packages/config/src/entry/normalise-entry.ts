/**
 * Converts the keys of a server's entry to Plugboard's own spelling, and remembers where each key is in the file.
 * Does not validate values.
 */
import { findNodeAtLocation } from "jsonc-parser";
import type { Node } from "jsonc-parser";
import { groupByKey, membersOf, nodeValue } from "../parse/members.ts";
import type { Member } from "../parse/members.ts";
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
    readonly keyNode: Node;
    readonly knownKeys: readonly string[];
  }[];
  /** Values that are accepted but are probably mistakes. */
  readonly warnings: readonly { readonly spelling: string; readonly node: Node; readonly message: string }[];
  /** A key that occurs twice, in any spelling. `name` is its quoted path. */
  readonly duplicate: { readonly name: string; readonly nodes: readonly Node[] } | undefined;
  /** Returns the file's spelling of a path and the node there, or the nearest parent node. */
  readonly locate: (path: readonly string[]) => { readonly spelling: string; readonly node: Node };
}

/** Returns true for an entry with only `enabled`, which enables or disables a server of a lower layer. */
export function isSwitch(entry: RawEntry): entry is { readonly enabled: boolean } {
  return Object.keys(entry).length === 1 && typeof entry["enabled"] === "boolean";
}

export interface RawEntry {
  readonly [key: string]: unknown;
}

/** A known key of the entry. */
interface EntryPart {
  /** The key in Plugboard's own spelling, such as `auth.client_id`. */
  readonly path: string;
  /** The key as the file spells it, such as `oauth.clientId`. */
  readonly spelling: string;
  readonly keyNode: Node;
  readonly valueNode: Node;
  readonly mapping: KeyMapping;
}

/** `file` decides the unit of `timeout`, because clients use different units. */
export function normaliseEntry(node: Node, file: string): NormalisedEntry {
  const unknownKeys: NormalisedEntry["unknownKeys"][number][] = [];
  const table = { ...ENTRY_TABLE, aliases: { ...ENTRY_TABLE.aliases, timeout: timeoutMappingFor(file) } };
  const parts = partsOf(membersOf(node), table, undefined, unknownKeys);
  return {
    entry: assemble(parts),
    unknownKeys,
    warnings: parts.flatMap(({ spelling, valueNode, mapping }) => {
      const message = mapping.warn?.(nodeValue(valueNode));
      return message === undefined ? [] : [{ spelling, node: valueNode, message }];
    }),
    duplicate: findDuplicate(parts),
    locate: (path) => locate(path, parts, node),
  };
}

/**
 * Lists a key that has a table of its own, such as `auth`, before its members. Adds keys of no table to `unknownKeys`.
 */
function partsOf(
  members: readonly Member[],
  table: KeyTable,
  parent: EntryPart | undefined,
  unknownKeys: object[],
): EntryPart[] {
  return members.flatMap(({ key, keyNode, valueNode }) => {
    const mapping = keyMappingFor(key, table);
    const spelling = parent ? `${parent.spelling}.${key}` : key;
    if (!mapping) {
      unknownKeys.push({ key, spelling, keyNode, knownKeys: table.keys });
      return [];
    }
    const path = [...(parent ? [parent.path] : []), ...mapping.path].join(".");
    const part: EntryPart = { path, spelling, keyNode, valueNode, mapping };
    const inner = valueNode.type === "object" ? NESTED_TABLES.get(path) : undefined;
    return inner ? [part, ...partsOf(membersOf(valueNode), inner, part, unknownKeys)] : [part];
  });
}

function assemble(parts: readonly EntryPart[]): RawEntry {
  const entry: { [key: string]: unknown } = {};
  for (const { path, valueNode, mapping } of parts) {
    const [first, second] = path.split(".") as [string, string?];
    const isContainer = second === undefined && NESTED_TABLES.has(first) && valueNode.type === "object";
    const value = isContainer ? { ...(entry[first] as object), ...mapping.impliedFields } : convert(valueNode, mapping);
    if (second === undefined) entry[first] = value;
    // If the parent is not an object, validation reports the parent.
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
  const groups = groupByKey(parts.map(({ path, keyNode, valueNode }) => ({ key: path, keyNode, valueNode })));
  for (const [path, duplicates] of groups) {
    if (duplicates.length > 1) return { name: quoteJson(path), nodes: duplicates.map(({ keyNode }) => keyNode) };
    // `parts` already contains the members of keys that have a table.
    const inside = NESTED_TABLES.has(path) ? undefined : findNestedDuplicate(duplicates[0].valueNode, path);
    if (inside) return inside;
  }
  return undefined;
}

/** Finds a duplicate key inside an object such as `env`, at any depth. */
function findNestedDuplicate(node: Node, path: string): NormalisedEntry["duplicate"] {
  for (const [name, duplicates] of groupByKey(membersOf(node))) {
    const innerPath = `${path}.${name}`;
    if (duplicates.length > 1) return { name: quoteJson(innerPath), nodes: duplicates.map(({ keyNode }) => keyNode) };
    const deeper = findNestedDuplicate(duplicates[0].valueNode, innerPath);
    if (deeper) return deeper;
  }
  return undefined;
}

/** Finds the longest prefix of the path that the file contains, and follows the rest of the path from there. */
function locate(path: readonly string[], parts: readonly EntryPart[], root: Node): { spelling: string; node: Node } {
  for (let length = path.length; length > 0; length--) {
    const prefix = path.slice(0, length).join(".");
    const part = parts.find((candidate) => candidate.path === prefix);
    if (!part) continue;
    const rest = path.slice(length);
    const keys = rest.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    return {
      spelling: [part.spelling, ...rest].join("."),
      node: findNodeAtLocation(part.valueNode, keys) ?? part.valueNode,
    };
  }
  return { spelling: path.join("."), node: root };
}
