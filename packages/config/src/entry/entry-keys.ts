/**
 * The accepted spellings of the keys of a server's entry: snake_case, camelCase, seconds instead of milliseconds,
 * and names that other clients use.
 */
import type { JsonObject } from "@plugboard/contracts";
import { toCamelCase, toSnakeCase } from "../lib/key-case.ts";

export const ENTRY_KEYS = [
  "transport",
  "enabled",
  "command",
  "args",
  "cwd",
  "env",
  "url",
  "headers",
  "id",
  "name",
  "auth",
  "account",
  "login",
  "startup_timeout_ms",
  "request_timeout_ms",
  "max_timeout_ms",
  "health_interval_ms",
  "start",
  "idle_stop_ms",
  "share",
  "tools",
  "retry",
  "protocol",
  "trust_annotations",
  "sampling",
  "strict_results",
  "roots",
  "max_message_bytes",
  "result_limit_bytes",
] as const;

export type EntryKey = (typeof ENTRY_KEYS)[number];

export const AUTH_KEYS = [
  "type",
  "header_name",
  "api_key",
  "token_path",
  "authorization_url",
  "token_url",
  "registration_url",
  "client_id",
  "client_secret",
  "private_key_file",
  "assertion_file",
  "idp_token_url",
  "idp_client_id",
  "idp_client_secret",
  "id_token_file",
  "scope",
  "client_metadata_url",
  "callback_port",
] as const;

export type AuthKey = (typeof AUTH_KEYS)[number];

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
  /** Fields that the spelling itself implies. */
  readonly impliedFields?: { readonly [key: string]: unknown };
}

/** The names that other clients use, by their snake_case form. */
const ENTRY_ALIASES: { readonly [spelling: string]: KeyMapping } = {
  type: { path: ["transport"] },
  disabled: {
    path: ["enabled"],
    convert: (value) => (typeof value === "boolean" ? !value : value),
    inputSchema: { type: "boolean" },
  },
  environment: { path: ["env"] },
  server_url: { path: ["url"] },
  http_url: { path: ["url"] },
  http_headers: { path: ["headers"] },
  oauth: { path: ["auth"], impliedFields: { type: "oauth" } },
  timeout: { path: ["request_timeout_ms"] },
  tool_timeout_ms: { path: ["request_timeout_ms"] },
  startup_timeout_sec: secondsMapping("startup_timeout_ms"),
  tool_timeout_sec: secondsMapping("request_timeout_ms"),
  request_timeout_sec: secondsMapping("request_timeout_ms"),
  max_timeout_sec: secondsMapping("max_timeout_ms"),
  include_tools: { path: ["tools", "include"] },
  enabled_tools: { path: ["tools", "include"] },
  exclude_tools: { path: ["tools", "exclude"] },
  excluded_tools: { path: ["tools", "exclude"] },
  disabled_tools: { path: ["tools", "exclude"] },
};

const AUTH_ALIASES: { readonly [spelling: string]: KeyMapping } = {
  type: { path: ["type"], convert: (value) => (typeof value === "string" ? toSnakeCase(value) : value) },
  auth_url: { path: ["authorization_url"] },
  scopes: { path: ["scope"], convert: joinWords, inputSchema: { type: "array", items: { type: "string" } } },
};

export interface KeyTable {
  readonly keys: readonly string[];
  readonly aliases: { readonly [spelling: string]: KeyMapping };
}

export const ENTRY_TABLE: KeyTable = { keys: ENTRY_KEYS, aliases: ENTRY_ALIASES };

/** The tables of keys that contain other keys. */
export const NESTED_TABLES: ReadonlyMap<string, KeyTable> = new Map([
  ["auth", { keys: AUTH_KEYS, aliases: AUTH_ALIASES }],
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
