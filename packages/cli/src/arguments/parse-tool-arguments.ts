/** Parses `name=value` words and `--args`, and converts their values to the types in the tool's schema. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { validateArguments, schemaTypes } from "./validate-arguments.ts";

/** The arguments as typed. `coerceArguments` converts them when the tool's schema is known. */
export interface RawArguments {
  readonly json: JsonObject;
  readonly pairs: ReadonlyMap<string, readonly string[]>;
}

/** Parses without a schema, so that a typing error is reported before any server starts. */
export function parseRawArguments(pairs: readonly string[], json: string | undefined): RawArguments {
  const values = new Map<string, string[]>();
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 1) throw new HostError("USAGE", { message: `${JSON.stringify(pair)} is not of the form name=value` });
    const name = pair.slice(0, equals);
    values.set(name, [...(values.get(name) ?? []), pair.slice(equals + 1)]);
  }
  return { pairs: values, json: json === undefined ? {} : parseObject(json) };
}

/** Throws INVALID_ARGUMENTS with all problems if the arguments do not match the schema. */
export function coerceArguments({ json, pairs }: RawArguments, schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const values = new Map<string, Json | undefined>(Object.entries(json));
  for (const [name, texts] of pairs) {
    values.set(name, coerceValues(name, texts, Object.hasOwn(properties, name) ? properties[name] : undefined));
  }
  // `fromEntries` keeps arguments with names such as `__proto__`.
  const args: JsonObject = Object.fromEntries(values);
  const problems = validateArguments(args, schema);
  if (problems.length > 0) throw invalidArguments(problems.join("; "));
  return args;
}

/** Converts a repeated name to a list, if the schema allows a list. */
function coerceValues(name: string, texts: readonly string[], schema: Json | undefined): Json {
  const types = schemaTypes(schema);
  const [text, ...others] = texts;
  if (others.length === 0) return coerceValue(text!, types);
  if (!types.includes("array")) throw invalidArguments(`"${name}" is given ${texts.length} times and is not a list`);
  const itemTypes = isJsonObject(schema) ? schemaTypes(schema["items"]) : [];
  return texts.map((item) => coerceValue(item, itemTypes));
}

/** Keeps the text if the schema allows a string. Otherwise parses it as JSON, if possible. */
function coerceValue(text: string, types: readonly string[]): Json {
  return types.includes("string") ? text : (tryParseJson(text) ?? text);
}

function parseObject(json: string): JsonObject {
  const parsed = tryParseJson(json);
  if (isJsonObject(parsed)) return parsed;
  throw invalidArguments("--args must be one JSON object");
}

function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function invalidArguments(reason: string): HostError {
  return new HostError("INVALID_ARGUMENTS", { reason });
}
