/** What the form of a server edits, and its definition. Pure. */
import {
  entryRows,
  isJsonObject,
  parseSandboxWord,
  quoteShellWord,
  splitShellWords,
  transportOfUrl,
  URL_TRANSPORTS,
} from "@plugboard/contracts";
import type {
  EntryRow,
  EntryValue,
  JsonObject,
  SecretReference,
  ServerEntry,
  UrlTransport,
} from "@plugboard/contracts";
import { parseJson } from "../../../schema/parse-json.ts";
import { parseDefinition } from "./parse-definition.ts";
import type { ParsedDefinition } from "./parse-definition.ts";

export interface Draft {
  readonly kind: "command" | "url" | "json";
  /** The command with its arguments. */
  readonly command: string;
  readonly cwd: string;
  /** One `NAME=value` in each line. A value can be a reference such as `{"$secret":"name"}`. */
  readonly env: string;
  readonly url: string;
  readonly transport: UrlTransport;
  /** One `Name: value` in each line. */
  readonly headers: string;
  /** The texts of the fields in `SETTINGS`, by key. A field that is empty or absent has its default. */
  readonly settings: { readonly [key: string]: string };
  /** The definition as JSON, for everything that the fields don't show. */
  readonly json: string;
  /** The keys of the definition that the fields don't show. */
  readonly others: JsonObject;
}

export const EMPTY_DRAFT: Draft = {
  kind: "command",
  command: "",
  cwd: "",
  env: "",
  url: "",
  transport: "http",
  headers: "",
  settings: {},
  json: "{\n}",
  others: {},
};

/** The keys of a definition for which the table of keys describes a field. */
const SETTINGS = entryRows().flatMap(([key, { field, ...row }]) => (field ? [{ key, row, ...field }] : []));

/** Returns the definition, or an error text. */
export function toEntry(draft: Draft): ParsedDefinition {
  if (draft.kind === "json") return parseDefinition(draft.json);
  const settings = parseSettings(draft);
  if ("error" in settings) return settings;
  const others = { ...draft.others, ...settings.entry };
  if (draft.kind === "url") {
    if (!draft.url.includes("://") || transportOfUrl(draft.url) === undefined)
      return { error: "The URL must begin with https:// or http://." };
    const headers = parseLines(draft.headers, ":");
    if (typeof headers === "string") return { error: headers };
    const hasHeaders = Object.keys(headers).length > 0;
    return {
      entry: { ...others, transport: draft.transport, url: draft.url.trim(), ...(hasHeaders && { headers }) },
    };
  }
  const [command, ...args] = splitShellWords(draft.command).words;
  if (command === undefined) return { error: "Type the command that starts the server." };
  const env = parseLines(draft.env, "=");
  if (typeof env === "string") return { error: env };
  return {
    entry: {
      ...others,
      transport: "stdio",
      command,
      ...(args.length > 0 && { args }),
      ...(draft.cwd.trim() !== "" && { cwd: draft.cwd.trim() }),
      ...(Object.keys(env).length > 0 && { env }),
    },
  };
}

/** A definition with references to secrets in its arguments is edited as JSON. */
export function toDraft(entry: JsonObject): Draft {
  const { transport, command, args = [], cwd, env = {}, url, headers = {}, ...others } = entry;
  const json = JSON.stringify(entry, null, 2);
  const settings = SETTINGS.flatMap(({ key }) => {
    const value = others[key];
    const isShown = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return isShown ? [[key, String(value)] as const] : [];
  });
  const shownKeys = new Set<string>(settings.map(([key]) => key));
  const base = {
    ...EMPTY_DRAFT,
    json,
    settings: Object.fromEntries(settings),
    others: Object.fromEntries(Object.entries(others).filter(([key]) => !shownKeys.has(key))),
  };
  if (typeof command === "string" && isTexts(args) && isValueMap(env)) {
    const words = [command, ...args].map((word) => quoteShellWord(word)).join(" ");
    return {
      ...base,
      kind: "command",
      command: words,
      cwd: typeof cwd === "string" ? cwd : "",
      env: toLines(env, "="),
    };
  }
  const shown = URL_TRANSPORTS.find((name) => name === transport);
  if (typeof url === "string" && shown && isValueMap(headers)) {
    return { ...base, kind: "url", url, transport: shown, headers: toLines(headers, ": ") };
  }
  return { ...base, kind: "json" };
}

/** Returns the settings that a server of this kind can have. */
export function settingsFor(kind: Draft["kind"]) {
  return SETTINGS.filter(({ row }) => row.for === undefined || (row.for === "stdio" && kind === "command"));
}

function parseSettings({ kind, settings: texts }: Draft): { readonly entry: ServerEntry } | { readonly error: string } {
  const entry: { [key: string]: string | number | boolean } = {};
  for (const { key, row, label } of settingsFor(kind)) {
    const text = texts[key]?.trim() ?? "";
    if (text === "") continue;
    if (NUMBERS.has(row.type)) {
      if (!/^\d+$/.test(text)) return { error: `${label} must be a whole number.` };
      entry[key] = Number(text);
    } else if (row.type === "sandbox") entry[key] = parseSandboxWord(text) as string | boolean;
    else entry[key] = row.type === "boolean" ? text === "true" : text;
  }
  return { entry };
}

/** The types of values that are numbers. */
const NUMBERS: ReadonlySet<EntryRow["type"]> = new Set<EntryRow["type"]>(["duration", "duration_or_never", "size"]);

/** Returns an error text if a line has no separator. */
function parseLines(text: string, separator: string): { [name: string]: EntryValue } | string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs: [string, EntryValue][] = [];
  for (const line of lines) {
    const at = line.indexOf(separator);
    if (at < 1) return `Write each line as name${separator}value.`;
    const value = line.slice(at + 1);
    pairs.push([line.slice(0, at).trim(), parseReference(value) ?? (separator === ":" ? value.trim() : value)]);
  }
  return Object.fromEntries(pairs);
}

/** A reference is written as in the definition: `KEY={"$secret":"name"}`. */
function parseReference(text: string): SecretReference | undefined {
  if (!/^\s*\{\s*"\$(?:secret|file|cmd)"/.test(text)) return undefined;
  const { value } = parseJson(text);
  return isReference(value) ? value : undefined;
}

function toLines(values: { readonly [name: string]: EntryValue }, separator: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}${separator}${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isValueMap(value: unknown): value is { [name: string]: EntryValue } {
  const isValue = (item: unknown) =>
    typeof item === "string" ? parseReference(item) === undefined : isReference(item);
  return isJsonObject(value) && Object.values(value).every(isValue);
}

function isReference(value: unknown): value is SecretReference {
  return (
    isJsonObject(value) && Object.keys(value).length === 1 && ["$secret", "$file", "$cmd"].some((key) => key in value)
  );
}
