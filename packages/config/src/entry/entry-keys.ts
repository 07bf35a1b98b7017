/**
 * The accepted spellings of the keys of a server's entry: snake_case, camelCase, seconds instead of milliseconds,
 * and names that other clients use.
 */
import { authRows, ENTRY_KEYS, entryRows } from "@plugboard/contracts";
import type { EntryKey, JsonObject, KeyAlias } from "@plugboard/contracts";
import { toCamelCase, toSnakeCase } from "../lib/key-case.ts";

const TOOL_KEYS = ["include", "exclude"] as const;

/** How a spelling is read: the key that it stands for, and how its value is converted. */
export interface KeyMapping {
  /** The key in Plugboard's own spelling, with its parent key first. */
  readonly path: readonly [string, ...string[]];
  readonly convert?: (value: unknown) => unknown;
  /** The JSON Schema of the value before conversion. */
  readonly inputSchema?: JsonObject;
  /** Returns a warning if the value is probably a mistake. */
  readonly warn?: (value: unknown) => string | undefined;
  /** Fields that the spelling itself implies, such as the type of the login in `oauth`. */
  readonly impliedFields?: { readonly [key: string]: unknown };
}

/** The other spellings of the table of keys, in snake_case. */
const ENTRY_ALIASES: { readonly [spelling: string]: KeyMapping } = Object.fromEntries(
  entryRows().flatMap(([key, { aliases = {} }]) =>
    Object.entries(aliases).map(([spelling, alias]) => [spelling, mappingOf(key, alias)]),
  ),
);

function mappingOf(key: EntryKey, alias: KeyAlias): KeyMapping {
  if (alias === "same") return { path: [key] };
  if (alias === "seconds") return secondsMapping(key);
  if (alias === "opposite") {
    const convert = (value: unknown) => (typeof value === "boolean" ? !value : value);
    return { path: [key], convert, inputSchema: { type: "boolean" } };
  }
  return "member" in alias ? { path: [key, alias.member] } : { path: [key], impliedFields: alias.implies };
}

const AUTH_ALIASES: { readonly [spelling: string]: KeyMapping } = {
  type: { path: ["type"], convert: (value) => (typeof value === "string" ? toSnakeCase(value) : value) },
  auth_url: { path: ["authorization_url"] },
  scopes: { path: ["scope"], convert: joinWords, inputSchema: { type: "array", items: { type: "string" } } },
};

export interface KeyTable {
  readonly keys: readonly string[];
  readonly aliases: { readonly [spelling: string]: KeyMapping };
}

export const ENTRY_TABLE: KeyTable = { keys: Object.keys(ENTRY_KEYS), aliases: ENTRY_ALIASES };

/** The tables of keys that contain other keys. */
export const NESTED_TABLES: ReadonlyMap<string, KeyTable> = new Map([
  ["auth", { keys: ["type", ...authRows().map(([key]) => key)], aliases: AUTH_ALIASES }],
  ["tools", { keys: TOOL_KEYS, aliases: {} }],
]);

/** Returns undefined for an unknown key. */
export function keyMappingFor(spelling: string, { keys, aliases }: KeyTable): KeyMapping | undefined {
  const snake = toSnakeCase(spelling);
  if (Object.hasOwn(aliases, snake)) return aliases[snake];
  return keys.includes(snake) ? { path: [snake] } : undefined;
}

/** Returns `header_name` and `headerName` for `header_name`. */
export function spellingsOf(key: string): string[] {
  const camel = toCamelCase(key);
  return camel === key ? [key] : [key, camel];
}

function secondsMapping(key: EntryKey): KeyMapping {
  return {
    path: [key],
    convert: (seconds) => (typeof seconds === "number" ? Math.round(seconds * 1000) : seconds),
    inputSchema: { type: "number", exclusiveMinimum: 0 },
  };
}

function joinWords(words: unknown): unknown {
  return Array.isArray(words) && words.every((word) => typeof word === "string") ? words.join(" ") : words;
}
