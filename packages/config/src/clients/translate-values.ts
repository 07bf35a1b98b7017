/** Translates the placeholders in all values of a client's entry, before its keys are converted. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { Client, ConvertedEntry, ReadContext } from "./formats/client.ts";
import { readPlaceholders } from "./placeholders/read-placeholders.ts";

/** Keys with strings as values, in the spellings of all clients. Numbers and booleans there become strings. */
const STRING_KEYS = new Set(["args", "env", "environment", "envs", "headers", "http_headers"]);
/** Keys whose values may be references to secrets. */
const SECRET_KEYS = new Set([...STRING_KEYS, "auth", "oauth"]);

/** The keys and indexes that lead to a value. */
type Path = readonly [key: string, ...rest: (string | number)[]];

/** Adds a note for each value whose meaning changes. Returns the reason if a value can't be translated. */
export function translateValues(
  raw: JsonObject,
  client: Client,
  context: ReadContext,
  notes: string[],
): ConvertedEntry {
  const translator = new ValueTranslator(client, context, notes);
  const values = Object.entries(raw).map(([key, value]) => [key, translator.translate(value, [key])]);
  const { skip } = translator;
  return skip === undefined ? { entry: Object.fromEntries(values) as JsonObject } : { skip };
}

class ValueTranslator {
  /** The first reason why the entry can't be translated. */
  skip: string | undefined;
  readonly #client: Client;
  readonly #context: ReadContext;
  readonly #notes: string[];

  constructor(client: Client, context: ReadContext, notes: string[]) {
    this.#client = client;
    this.#context = context;
    this.#notes = notes;
  }

  translate(value: Json | undefined, path: Path): Json | undefined {
    if (typeof value === "string") return this.#translateText(value, path);
    if (Array.isArray(value)) return value.map((item, index) => this.translate(item, [...path, index])!);
    if (isJsonObject(value)) return this.#translateObject(value, path);
    const isText = STRING_KEYS.has(path[0]) && path.length === 2 && value !== undefined && value !== null;
    return isText ? String(value) : value;
  }

  #translateObject(value: JsonObject, path: Path): JsonObject {
    // A reference such as `$cmd` means nothing to a known client, so its entry is skipped. A file of no known client
    // (`other`) may be in Plugboard's own format.
    const reference = this.#client.name === "other" ? undefined : Object.keys(value).find((key) => key.startsWith("$"));
    if (reference !== undefined)
      this.skip ??= `${nameOf(path)} has the key ${JSON.stringify(reference)}, which is a reference only in Plugboard's own files`;
    const values = Object.entries(value).map(([key, item]) => [key, this.translate(item, [...path, key])]);
    return Object.fromEntries(values) as JsonObject;
  }

  #translateText(text: string, path: Path): Json {
    const [key] = path;
    // A command may be a list. Every word after the first is an argument, which may be a secret.
    const isArgument = key === "command" && path.length === 2 && path[1] !== 0;
    const read = readPlaceholders(text, {
      label: this.#client.label,
      dialect: this.#client.dialect(key),
      key: nameOf(path),
      allowsSecret: SECRET_KEYS.has(key) || isArgument,
      inProject: this.#context.scope !== "user",
      platform: this.#context.platform,
    });
    if ("skip" in read) {
      this.skip ??= read.skip;
      return text;
    }
    this.#notes.push(...read.notes);
    return read.value as Json;
  }
}

/** Names a value for people: the variable, the header, or the number of the argument. */
function nameOf(path: Path): string {
  const last = path.at(-1)!;
  return typeof last === "number" ? `argument ${path[0] === "command" ? last : last + 1}` : last;
}
