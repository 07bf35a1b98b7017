/** Converts the values that a person typed to the types in the tool's schema. Pure. */
import { HostError, allowedTypes, hasType, keywordList, resolveSchema, toolParameters } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { findJsonLoss } from "./find-json-loss.ts";
import { tryParseJson } from "./try-parse-json.ts";

/** A value as typed: text, which is converted, or JSON, which is not. */
export type RawValue = { readonly text: string } | { readonly json: Json };

/** The arguments as typed. They are converted when the tool's schema is known. */
export interface RawArguments {
  /** The value of `--args`. */
  readonly json: JsonObject;
  /** The values of each `name=value`. They replace those in `json`. */
  readonly pairs: ReadonlyMap<string, readonly RawValue[]>;
}

/** Throws INVALID_ARGUMENTS if a name that is not a list is given several times. */
export function coerceArguments({ json, pairs }: RawArguments, inputSchema: JsonObject): JsonObject {
  const schemas = new Map(toolParameters(inputSchema).map(({ name, schema }) => [name, schema]));
  const values = new Map<string, Json | undefined>(Object.entries(json));
  for (const [name, raw] of pairs) values.set(name, coerceValues(name, raw, schemas.get(name), inputSchema));
  // `fromEntries` keeps arguments with names such as `__proto__`.
  return Object.fromEntries(values);
}

/** Converts one typed text. If it has no allowed type, but a list is allowed, it becomes the only element of a list. */
export function coerceText(text: string, schema: JsonObject | undefined, root: JsonObject): Json {
  const types = allowedTypes(schema, root);
  const value = convert(text, types);
  const fits = types.length === 0 || types.some((type) => hasType(value, type));
  return fits || !types.includes("array") ? value : [convertItem(text, schema, root)];
}

/** Converts a repeated name to a list, if the schema allows a list. */
function coerceValues(
  name: string,
  values: readonly RawValue[],
  schema: JsonObject | undefined,
  root: JsonObject,
): Json {
  const [first, ...others] = values;
  if (others.length === 0) return "json" in first! ? first.json : coerceText(first!.text, schema, root);
  if (!allowedTypes(schema, root).includes("array")) {
    const reason = `"${name}" is given ${values.length} times and is not a list`;
    throw new HostError("INVALID_ARGUMENTS", { reason });
  }
  return values.map((value) => ("json" in value ? value.json : convertItem(value.text, schema, root)));
}

function convertItem(text: string, schema: JsonObject | undefined, root: JsonObject): Json {
  return convert(text, allowedTypes(itemSchema(schema, root), root));
}

/** Keeps the text if a string is allowed. Otherwise parses it as JSON, if that is possible without a loss. */
function convert(text: string, types: readonly string[]): Json {
  const parsed = types.includes("string") ? undefined : tryParseJson(text);
  return parsed === undefined || findJsonLoss(text) !== undefined ? text : parsed;
}

/** Returns the schema of the elements, also if the list is one of several alternatives. */
function itemSchema(schema: JsonObject | undefined, root: JsonObject): Json | undefined {
  const resolved = resolveSchema(schema, root);
  if (resolved["items"] !== undefined) return resolved["items"];
  const alternatives = [...keywordList(resolved, "anyOf"), ...keywordList(resolved, "oneOf")];
  return alternatives
    .map((alternative) => resolveSchema(alternative, root)["items"])
    .find((items) => items !== undefined);
}
