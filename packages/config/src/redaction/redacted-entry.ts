/** Converts a definition to a config file entry for display, with or without its secrets. Leaves out default values. */
import type { EntryValue, JsonObject, SandboxAccess, SandboxSetting } from "@plugboard/contracts";
import { AUTH_KEY_TYPES } from "../definition/definition.ts";
import type { ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import { ENTRY_DEFAULTS } from "../definition/entry-defaults.ts";
import { maskUrlWithDefaults, maskArguments, maskCommand, maskName, maskValue } from "./mask-text.ts";
import { toSnakeCase, toSnakeKeys } from "../lib/key-case.ts";

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
  const args = definition.transport === "stdio" && { args: definition.args };
  const auth = "auth" in definition && {
    auth: definition.auth.type === "none" ? undefined : toSnakeKeys(definition.auth),
  };
  return maskEntry(toJsonEntry({ ...Object.fromEntries(nonDefault), ...args, ...auth, ...toolsEntry(tools) }));
}

/** Masks the secrets in an entry of `unmaskedEntry`. Leaves out empty variables and headers. */
export function maskEntry(entry: JsonObject): JsonObject {
  const masked = Object.entries(entry).map(([key, value]) => [key, MASKS.get(key)?.(value as never) ?? value] as const);
  const shown = masked.filter(([key, value]) => !(RECORDS.has(key) && isEmpty(value)));
  return Object.fromEntries(shown) as JsonObject;
}

/** Converts the keys to snake case and drops undefined values. */
function toJsonEntry(entry: object): JsonObject {
  return JSON.parse(JSON.stringify(toSnakeKeys(entry))) as JsonObject;
}

/** The values of these variables are a part of what runs. */
const CODE_VARIABLE =
  /^(?:PATH|NODE_OPTIONS|NODE_PATH|(?:LD|DYLD)_\w+|PYTHON(?:PATH|STARTUP|HOME)|BASH_ENV|ENV|(?:PERL5|RUBY)(?:OPT|LIB)|\w*JAVA\w*_OPTIONS|npm_config_(?:registry|prefix|script_shell|node_options))$/i;

/** Returns true for a variable by which a program loads other code, such as `PATH` and `NODE_OPTIONS`. */
export function isCodeVariable(name: string): boolean {
  return CODE_VARIABLE.test(name);
}

interface EntryValues {
  readonly [name: string]: EntryValue;
}

/** Masks the values. Of variables that load code, masks only the secrets, so that users see what runs. */
function maskEnv(env: EntryValues): EntryValues {
  const code = Object.entries(env).filter(([name]) => isCodeVariable(name));
  const shown = code.map(([name, value]) => [name, typeof value === "string" ? maskCommand(value) : maskValue(value)]);
  return { ...maskRecord(env), ...(Object.fromEntries(shown) as EntryValues) };
}

function maskRecord(values: EntryValues): EntryValues {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, maskValue(value)]));
}

/** Masks secrets and ids completely. Of URLs, file paths and names, masks only the parts that look like a secret. */
function maskAuth({ type, ...fields }: { readonly [key: string]: EntryValue | number }): object {
  const masked = Object.entries(fields).map(([key, value]) => {
    if (typeof value === "number") return [key, value];
    const keyType = AUTH_TYPES_IN_FILES.get(key);
    if (typeof value !== "string" || keyType === "secret" || keyType === "id") return [key, maskValue(value)];
    return [key, keyType === "url" || keyType === "metadata_url" ? maskUrlWithDefaults(value) : maskName(value)];
  });
  return { type, ...Object.fromEntries(masked) };
}

const AUTH_TYPES_IN_FILES = new Map([...AUTH_KEY_TYPES].map(([key, type]) => [toSnakeCase(key), type]));

function maskRoots(roots: boolean | readonly string[]): unknown {
  return typeof roots === "boolean" ? roots : roots.map(maskName);
}

function maskSandbox(sandbox: SandboxSetting | false): unknown {
  if (typeof sandbox !== "object") return sandbox;
  const { read, write } = sandbox;
  return { ...sandbox, ...(read && { read: read.map(maskName) }), ...(write && { write: write.map(maskName) }) };
}

/** Returns what the sandbox of a server allows, for display. Masks parts of paths that look like a secret. */
export function describeAccess({ sandbox }: Pick<ConfiguredServer, "sandbox">): SandboxAccess | undefined {
  if (!sandbox) return undefined;
  const { read, write, network } = sandbox;
  return { read: read.map(maskName), write: write.map(maskName), network };
}

/** How to mask the keys whose values may contain secrets. The definition was checked, so each value has its type. */
const MASKS: ReadonlyMap<string, (value: never) => unknown> = new Map<string, (value: never) => unknown>([
  ["command", maskCommand],
  ["args", maskArguments],
  ["cwd", maskName],
  ["env", maskEnv],
  ["url", maskUrlWithDefaults],
  ["headers", maskRecord],
  ["auth", maskAuth],
  ["roots", maskRoots],
  ["sandbox", maskSandbox],
]);

const RECORDS: ReadonlySet<string> = new Set(["env", "headers"]);

function toolsEntry({ include, exclude }: ServerDefinition["tools"]): object {
  const includesAll = include.length === 1 && include[0] === "*";
  if (includesAll && exclude.length === 0) return {};
  return { tools: { ...(!includesAll && { include }), ...(exclude.length > 0 && { exclude }) } };
}
