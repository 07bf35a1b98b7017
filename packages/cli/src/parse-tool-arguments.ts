/** `name=value` words and `--args` as the arguments of a tool, read by what its schema says they are. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { argumentProblems, typesOf } from "./argument-problems.ts";

/** Arguments as they were typed; what the values mean is not known without the tool. */
export interface TypedArguments {
  readonly json: JsonObject;
  readonly words: ReadonlyMap<string, readonly string[]>;
}

export function parseToolArguments(pairs: readonly string[], json: string | undefined, schema: JsonObject): JsonObject {
  return fitArguments(readTypedArguments(pairs, json), schema);
}

/** Needs no tool, so that a slip is told before a server is started. */
export function readTypedArguments(pairs: readonly string[], json: string | undefined): TypedArguments {
  const words = new Map<string, string[]>();
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 1) throw new HostError("USAGE", { what: `${JSON.stringify(pair)} is not of the form name=value` });
    const name = pair.slice(0, equals);
    words.set(name, [...(words.get(name) ?? []), pair.slice(equals + 1)]);
  }
  return { words, json: json === undefined ? {} : parseObject(json) };
}

export function fitArguments({ json, words }: TypedArguments, schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const given = new Map<string, Json | undefined>(Object.entries(json));
  for (const [name, texts] of words) {
    given.set(name, readTexts(name, texts, Object.hasOwn(properties, name) ? properties[name] : undefined));
  }
  // An argument may have any name, also one that every ordinary object has.
  const args: JsonObject = Object.fromEntries(given);
  const problems = argumentProblems(args, schema);
  if (problems.length > 0) throw invalid(problems.join("; "));
  return args;
}

/** A list may be given one element at a time. */
function readTexts(name: string, texts: readonly string[], schema: Json | undefined): Json {
  const types = typesOf(schema);
  const [text, ...more] = texts;
  if (more.length === 0) return readText(text!, types);
  if (!types.includes("array")) throw invalid(`"${name}" is given ${texts.length} times and is not a list`);
  const items = isJsonObject(schema) ? typesOf(schema["items"]) : [];
  return texts.map((one) => readText(one, items));
}

/** Text stays text where the tool wants text; elsewhere it is JSON if it can be. */
function readText(text: string, types: readonly string[]): Json {
  return types.includes("string") ? text : (tryParse(text) ?? text);
}

function parseObject(json: string): JsonObject {
  const parsed = tryParse(json);
  if (isJsonObject(parsed)) return parsed;
  throw invalid("--args must be one JSON object");
}

function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function invalid(what: string): HostError {
  return new HostError("INVALID_ARGUMENTS", { what });
}
