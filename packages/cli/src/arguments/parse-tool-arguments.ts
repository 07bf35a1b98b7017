/** `name=value` words and `--args` as the arguments of a tool, read by what its schema says they are. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { validateArguments, schemaTypes } from "./validate-arguments.ts";

/** Arguments as they were typed; what the values mean is not known without the tool. */
export interface RawArguments {
  readonly json: JsonObject;
  readonly pairs: ReadonlyMap<string, readonly string[]>;
}

/** Needs no tool, so that a slip is told before a server is started. */
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

export function coerceArguments({ json, pairs }: RawArguments, schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const values = new Map<string, Json | undefined>(Object.entries(json));
  for (const [name, texts] of pairs) {
    values.set(name, coerceValues(name, texts, Object.hasOwn(properties, name) ? properties[name] : undefined));
  }
  // An argument may have any name, also one that every ordinary object has.
  const args: JsonObject = Object.fromEntries(values);
  const problems = validateArguments(args, schema);
  if (problems.length > 0) throw invalidArguments(problems.join("; "));
  return args;
}

/** A list may be given one element at a time. */
function coerceValues(name: string, texts: readonly string[], schema: Json | undefined): Json {
  const types = schemaTypes(schema);
  const [text, ...others] = texts;
  if (others.length === 0) return coerceValue(text!, types);
  if (!types.includes("array")) throw invalidArguments(`"${name}" is given ${texts.length} times and is not a list`);
  const items = isJsonObject(schema) ? schemaTypes(schema["items"]) : [];
  return texts.map((one) => coerceValue(one, items));
}

/** Text stays text where the tool wants text; elsewhere it is JSON if it can be. */
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
