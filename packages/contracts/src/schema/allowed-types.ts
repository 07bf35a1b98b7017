/** Reads which JSON types and values a schema allows. Pure. */
import type { Json, JsonObject } from "../lib/json.ts";
import { alternativesOf, keywordList, resolveSchema } from "./resolve-schema.ts";

/** The maximum of schemas that are read. Without it, alternatives that refer to each other could take any time. */
const MAX_SCHEMAS = 500;

interface Budget {
  schemas: number;
}

/** Returns the types that a schema allows, or an empty list if it does not restrict them. */
export function allowedTypes(
  schema: Json | undefined,
  root: JsonObject,
  budget: Budget = { schemas: MAX_SCHEMAS },
): readonly string[] {
  if (budget.schemas-- <= 0) return [];
  const resolved = resolveSchema(schema, root);
  const { type, const: value } = resolved;
  const types = [type].flat().filter((name) => typeof name === "string");
  if (types.length > 0) return resolved["nullable"] === true ? [...types, "null"] : types;
  if (value !== undefined) return [jsonType(value)];
  const values = keywordList(resolved, "enum");
  if (values.length > 0) return [...new Set(values.map(jsonType))];
  const [only, ...others] = keywordList(resolved, "allOf");
  if (only !== undefined && others.length === 0) return allowedTypes(only, root, budget);
  const union = new Set<string>();
  for (const alternative of alternativesOf(resolved)) {
    const allowed = allowedTypes(alternative, root, budget);
    if (allowed.length === 0) return [];
    for (const name of allowed) union.add(name);
  }
  return [...union];
}

/** Returns the only values that a schema allows, or undefined if it does not list them. */
export function allowedValues(
  schema: Json | undefined,
  root: JsonObject,
  budget: Budget = { schemas: MAX_SCHEMAS },
): readonly Json[] | undefined {
  if (budget.schemas-- <= 0) return undefined;
  const resolved = resolveSchema(schema, root);
  if (resolved["const"] !== undefined) return [resolved["const"]];
  if (Array.isArray(resolved["enum"])) return resolved["enum"];
  if (resolved["type"] === "null") return [null];
  const [only, ...others] = keywordList(resolved, "allOf");
  if (only !== undefined && others.length === 0) return allowedValues(only, root, budget);
  const union: Json[] = [];
  for (const alternative of alternativesOf(resolved)) {
    const allowed = allowedValues(alternative, root, budget);
    if (allowed === undefined) return undefined;
    union.push(...allowed);
  }
  return union.length === 0 ? undefined : union;
}

/** Returns whether the value has the type. A type that JSON Schema does not define fits every value. */
export function hasType(value: Json, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return jsonType(value) === type || !JSON_TYPES.includes(type);
}

const JSON_TYPES = ["string", "number", "integer", "boolean", "null", "array", "object"];

function jsonType(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
