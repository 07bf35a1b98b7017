/** Converts a definition to a config file entry for display, with or without its secrets. Leaves out default values. */
import type { EntryValue, JsonObject } from "@plugboard/contracts";
import { AUTH_FILE_KEYS } from "../definition/definition.ts";
import type { Auth, ServerDefinition } from "../definition/definition.ts";
import { ENTRY_DEFAULTS } from "../definition/entry-defaults.ts";
import { maskUrlWithDefaults, maskArguments, maskCommand, maskName, maskValue } from "./mask-text.ts";
import { toSnakeKeys } from "../lib/key-case.ts";

const DEFAULTS: { readonly [key: string]: unknown } = ENTRY_DEFAULTS;

/** Masks nothing, because users who trust a definition must see all of it. */
export function unmaskedEntry(definition: ServerDefinition): JsonObject {
  const { tools, ...rest } = definition;
  const nonDefault = Object.entries(rest).filter(([key, value]) => DEFAULTS[key] !== value && !isEmpty(value));
  const auth = "auth" in definition && definition.auth.type !== "none" && { auth: toSnakeKeys(definition.auth) };
  const { auth: _, ...others } = Object.fromEntries(nonDefault);
  return toJsonEntry({ ...others, ...auth, ...toolsEntry(tools) });
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

export function redactedEntry(definition: ServerDefinition): JsonObject {
  const { tools, ...rest } = definition;
  const nonDefault = Object.entries(rest).filter(([key, value]) => DEFAULTS[key] !== value);
  const roots = typeof rest.roots === "object" && { roots: rest.roots.map(maskName) };
  const entry = {
    ...Object.fromEntries(nonDefault),
    ...maskTransportFields(definition),
    ...roots,
    ...toolsEntry(tools),
  };
  return toJsonEntry(entry);
}

/** Converts the keys to snake case and drops undefined values. */
function toJsonEntry(entry: object): JsonObject {
  return JSON.parse(JSON.stringify(toSnakeKeys(entry))) as JsonObject;
}

function maskTransportFields(definition: ServerDefinition): object {
  if (definition.transport === "sdk") return {};
  if (definition.transport === "stdio") {
    const { command, args, cwd, env } = definition;
    return {
      command: maskCommand(command),
      args: maskArguments(args),
      cwd: cwd === undefined ? undefined : maskName(cwd),
      env: maskEnv(env),
    };
  }
  const { url, headers, auth } = definition;
  return {
    url: maskUrlWithDefaults(url),
    headers: maskRecord(headers),
    auth: auth.type === "none" ? undefined : toSnakeKeys(maskAuth(auth)),
  };
}

/** Variables by which a program loads other code. Their values are a part of what runs. */
const CODE_VARIABLE =
  /^(?:PATH|NODE_OPTIONS|NODE_PATH|(?:LD|DYLD)_\w+|PYTHON(?:PATH|STARTUP|HOME)|BASH_ENV|ENV|(?:PERL5|RUBY)(?:OPT|LIB)|\w*JAVA\w*_OPTIONS|npm_config_(?:registry|prefix|script_shell|node_options))$/i;

/** Masks the values, but shows the variables that load code like arguments. */
function maskEnv(env: { readonly [name: string]: EntryValue }): object | undefined {
  const masked = maskRecord(env);
  if (!masked) return undefined;
  const code = Object.entries(env).filter(([name]) => CODE_VARIABLE.test(name));
  const shown = code.map(([name, value]) => [name, typeof value === "string" ? maskCommand(value) : maskValue(value)]);
  return { ...masked, ...Object.fromEntries(shown) };
}

function maskRecord(values: { readonly [name: string]: EntryValue }): object | undefined {
  const entries = Object.entries(values);
  return entries.length === 0 ? undefined : Object.fromEntries(entries.map(([key, value]) => [key, maskValue(value)]));
}

/** Masks each text, except URLs, header names, file paths and scopes: there only parts that look like a secret. */
function maskAuth({ type, ...fields }: Auth<EntryValue>): object {
  const masked = Object.entries(fields).map(([key, value]: [string, EntryValue | number]) => {
    if (typeof value === "number") return [key, value];
    if (typeof value !== "string" || !SHOWN_AUTH_KEYS.has(key)) return [key, maskValue(value)];
    return [key, key.endsWith("Url") ? maskUrlWithDefaults(value) : maskName(value)];
  });
  return { type, ...Object.fromEntries(masked) };
}

const SHOWN_AUTH_KEYS: ReadonlySet<string> = new Set([
  "headerName",
  ...AUTH_FILE_KEYS,
  "authorizationUrl",
  "tokenUrl",
  "idpTokenUrl",
  "registrationUrl",
  "clientMetadataUrl",
  "scope",
]);

function toolsEntry({ include, exclude }: ServerDefinition["tools"]): object {
  const includesAll = include.length === 1 && include[0] === "*";
  if (includesAll && exclude.length === 0) return {};
  return { tools: { ...(!includesAll && { include }), ...(exclude.length > 0 && { exclude }) } };
}
