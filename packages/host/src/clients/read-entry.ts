/**
 * Reads one entry of another client: translates its placeholders, converts its keys, and validates the result with the code
 * that reads config files.
 */
import { isAbsolute } from "node:path";
import { isJsonObject } from "@plugboard/contracts";
import type { EntryValue, Json, JsonObject, ServerEntry } from "@plugboard/contracts";
import type { ServerDefinition } from "../config/definition/definition.ts";
import { checkEntry } from "../config/entry/check-entry.ts";
import { normaliseEntry } from "../config/entry/normalise-entry.ts";
import type { RawEntry } from "../config/entry/normalise-entry.ts";
import type { EntryIssue } from "../config/parse/explain-issue.ts";
import { parseConfigText } from "../config/parse/config-text.ts";
import type { Client, ReadContext } from "./formats/client.ts";
import { readPlaceholders } from "./placeholders/read-placeholders.ts";
import { isPlugboardItself } from "./entry/is-plugboard-itself.ts";
import { findPlainSecrets } from "./entry/find-plain-secrets.ts";
import { toPlainEntry } from "./entry/to-plain-entry.ts";

export type ReadEntry =
  | {
      readonly entry: ServerEntry;
      /** Undefined for an entry that only enables or disables a server of another layer. */
      readonly definition: ServerDefinition | undefined;
      readonly notes: readonly string[];
    }
  | { readonly skip: string };

/** Keys whose values may be references to secrets, in the spellings of all clients. */
const SECRET_KEYS = new Set(["args", "env", "environment", "envs", "headers", "http_headers", "auth", "oauth"]);
const MAX_NOTES = 20;

export function readEntry(
  raw: Json | undefined,
  id: string,
  client: Client,
  file: string,
  context: ReadContext,
): ReadEntry {
  if (!isJsonObject(raw)) return { skip: "the entry is not an object" };
  const notes: string[] = [];
  const translation = translateValues(raw, client, context, notes);
  if ("skip" in translation) return translation;
  const converted = client.read(translation.entry, id, notes);
  if ("skip" in converted) return converted;
  const { root } = parseConfigText(JSON.stringify(converted.entry));
  const { entry: normalised, unknownKeys, duplicate, locate } = normaliseEntry(root!, file);
  if (duplicate) return { skip: `${duplicate.name} occurs twice, in two spellings` };
  notes.push(...unknownKeys.map(({ spelling }) => `${spelling} is left out, because Plugboard has no such setting`));
  const entry = dropUnusedLogin(normalised, notes);
  const isSwitch = Object.keys(entry).length === 1 && typeof entry["enabled"] === "boolean";
  if (isSwitch) return { entry, definition: undefined, notes };
  const checked = checkEntry(entry, context.scope);
  if ("issues" in checked) {
    const describe = ({ path, message }: EntryIssue) =>
      path.length === 0 ? message : `"${locate(path).spelling}" ${message}`;
    return { skip: checked.issues.map(describe).join("; ") };
  }
  if (isPlugboardItself(checked.definition)) return { skip: "it is Plugboard itself" };
  const { cwd = "/" } = { cwd: undefined, ...checked.definition };
  if (context.scope === "user" && !isAbsolute(cwd) && !cwd.startsWith("${"))
    notes.push("cwd is relative; it starts at your home folder");
  notes.push(...findPlainSecrets(checked.definition, id));
  notes.push(...checked.warnings.map(({ path, message }) => `${path.join(".")} ${message}`));
  const shown = notes.slice(0, MAX_NOTES);
  if (notes.length > MAX_NOTES) shown.push(`and ${notes.length - MAX_NOTES} more notes`);
  return { entry: toPlainEntry(checked.definition), definition: checked.definition, notes: shown };
}

/** Most clients ignore the settings of a login if the header is set. In Plugboard they exclude each other. */
function dropUnusedLogin(entry: RawEntry, notes: string[]): RawEntry {
  const { auth, ...rest } = entry;
  const { headers } = entry;
  const isSet = isJsonObject(headers) && Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  if (!isSet || !isJsonObject(auth) || auth["type"] !== "oauth") return entry;
  notes.push("the settings of the login are left out, because the header Authorization is set");
  return rest;
}

/** Translates the strings of an entry. Numbers in the values of `env`, `headers` and `args` become strings. */
function translateValues(
  raw: JsonObject,
  client: Client,
  { scope, platform }: ReadContext,
  notes: string[],
): { readonly entry: JsonObject } | { readonly skip: string } {
  let skip: string | undefined;
  const translateText = (text: string, top: string, path: readonly (string | number)[]): EntryValue => {
    const read = readPlaceholders(text, {
      label: client.label,
      dialect: client.dialect(top),
      key: nameOf(path),
      // The first word of a command can't be a secret.
      allowsSecret: SECRET_KEYS.has(top) || (top === "command" && path.length === 2 && path[1] !== 0),
      inProject: scope !== "user",
      platform,
    });
    if ("skip" in read) {
      skip ??= read.skip;
      return text;
    }
    notes.push(...read.notes);
    return read.value;
  };
  const translate = (value: Json | undefined, top: string, path: readonly (string | number)[]): Json | undefined => {
    if (typeof value === "string") return translateText(value, top, path) as Json;
    const isValue = SECRET_KEYS.has(top) && path.length === 2 && top !== "auth" && top !== "oauth";
    if (isValue && (typeof value === "number" || typeof value === "boolean")) return String(value);
    if (Array.isArray(value)) return value.map((item, index) => translate(item, top, [...path, index])!);
    if (!isJsonObject(value)) return value;
    // A reference such as `$cmd` belongs to Plugboard. In a file of another client nobody expects it to run a program.
    const reference = client.name === "other" ? undefined : Object.keys(value).find((key) => key.startsWith("$"));
    if (reference !== undefined)
      skip ??= `${nameOf(path)} has the key ${JSON.stringify(reference)}, which is a reference only in Plugboard's own files`;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, translate(item, top, [...path, key])]));
  };
  const entry = Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, translate(value, key, [key])]));
  return skip === undefined ? { entry } : { skip };
}

/** Names a value for people: the header or variable, or the number of the argument. */
function nameOf(path: readonly (string | number)[]): string {
  const last = path.at(-1);
  return typeof last === "number" ? `argument ${path[0] === "command" ? last : last + 1}` : String(last);
}
