/**
 * A server's entry with its keys as Plugboard writes them, however they are
 * spelt in the file, and the way back to where each of them stands there.
 * Judges no value.
 */
import { findNodeAtLocation } from "jsonc-parser";
import type { Node } from "jsonc-parser";
import { grouped, members, valueOf } from "./config-text.ts";
import type { Member } from "./config-text.ts";
import { ENTRY_TABLE, INNER_TABLES, meaningOf } from "./entry-keys.ts";
import type { KeyTable, Meaning } from "./entry-keys.ts";
import { quote } from "./findings.ts";
import { timeoutUnitOf } from "./timeout-unit.ts";

export interface NormalisedEntry {
  readonly entry: RawEntry;
  /** Keys that nobody knows, how to find them, and those that are known there. */
  readonly unknown: readonly {
    readonly key: string;
    readonly spelling: string;
    readonly at: Node;
    readonly known: readonly string[];
  }[];
  /** Values that are accepted but are probably mistakes. */
  readonly warnings: readonly { readonly spelling: string; readonly node: Node; readonly what: string }[];
  /** What is said twice, in whatever spelling. */
  readonly repeated: { readonly what: string; readonly nodes: readonly Node[] } | undefined;
  /** How the file spells a path, and where what stands there is, or what should hold it. */
  readonly written: (path: readonly string[]) => { readonly spelling: string; readonly node: Node };
}

export interface RawEntry {
  readonly [key: string]: unknown;
}

interface Part {
  readonly path: string;
  readonly spelling: string;
  readonly at: Node;
  readonly node: Node;
  readonly meaning: Meaning;
}

/** The file decides the unit of `timeout`, because clients differ in it. */
export function normaliseEntry(node: Node, file: string): NormalisedEntry {
  const unknown: NormalisedEntry["unknown"][number][] = [];
  const table = { ...ENTRY_TABLE, aliases: { ...ENTRY_TABLE.aliases, timeout: timeoutUnitOf(file) } };
  const parts = partsOf(members(node), table, undefined, unknown);
  return {
    entry: assemble(parts),
    unknown,
    warnings: parts.flatMap(({ spelling, node, meaning }) => {
      const what = meaning.warn?.(valueOf(node));
      return what === undefined ? [] : [{ spelling, node, what }];
    }),
    repeated: findRepeated(parts),
    written: (path) => locate(path, parts, node),
  };
}

/** An object with keys of its own, like `auth`, comes first, and then what is in it. */
function partsOf(all: readonly Member[], table: KeyTable, outer: Part | undefined, unknown: object[]): Part[] {
  return all.flatMap(({ key, at, value: node }) => {
    const meaning = meaningOf(key, table);
    const spelling = outer ? `${outer.spelling}.${key}` : key;
    if (!meaning) {
      unknown.push({ key, spelling, at, known: table.keys });
      return [];
    }
    const path = [...(outer ? [outer.path] : []), ...meaning.path].join(".");
    const part: Part = { path, spelling, at, node, meaning };
    const inner = node.type === "object" ? INNER_TABLES.get(path) : undefined;
    return inner ? [part, ...partsOf(members(node), inner, part, unknown)] : [part];
  });
}

function assemble(parts: readonly Part[]): RawEntry {
  const entry: { [key: string]: unknown } = {};
  for (const { path, node, meaning } of parts) {
    const [first, second] = path.split(".") as [string, string?];
    const holds = second === undefined && INNER_TABLES.has(first) && node.type === "object";
    const value = holds ? { ...(entry[first] as object), ...meaning.implied } : convert(node, meaning);
    if (second === undefined) entry[first] = value;
    else if (isObject(entry[first] ?? {})) entry[first] = { ...(entry[first] as object), [second]: value };
  }
  return entry;
}

function convert(node: Node, { convert }: Meaning): unknown {
  return convert ? convert(valueOf(node)) : valueOf(node);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function findRepeated(parts: readonly Part[]): NormalisedEntry["repeated"] {
  const groups = grouped(parts.map(({ path, at, node }) => ({ key: path, at, value: node })));
  for (const [path, twins] of groups) {
    if (twins.length > 1) return { what: quote(path), nodes: twins.map(({ at }) => at) };
    // What has a table has its parts in the list.
    const inside = INNER_TABLES.has(path) ? undefined : repeatedInside(twins[0].value, path);
    if (inside) return inside;
  }
  return undefined;
}

/** A name that an object like `env`, or one in it, has twice. */
function repeatedInside(node: Node, path: string): NormalisedEntry["repeated"] {
  for (const [name, twins] of grouped(members(node))) {
    const what = `${path}.${name}`;
    if (twins.length > 1) return { what: quote(what), nodes: twins.map(({ at }) => at) };
    const deeper = repeatedInside(twins[0].value, what);
    if (deeper) return deeper;
  }
  return undefined;
}

/** The longest part of the path that is written down, and on from there. */
function locate(path: readonly string[], parts: readonly Part[], root: Node): { spelling: string; node: Node } {
  for (let length = path.length; length > 0; length--) {
    const part = parts.find((one) => one.path === path.slice(0, length).join("."));
    if (!part) continue;
    const rest = path.slice(length);
    const keys = rest.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    return { spelling: [part.spelling, ...rest].join("."), node: findNodeAtLocation(part.node, keys) ?? part.node };
  }
  return { spelling: path.join("."), node: root };
}
