/** Reads which JSON types and values a schema allows. Pure. */
import type { Json, JsonObject } from "@plugboard/contracts";
import { listOf, resolveSchema } from "./resolve-schema.ts";

/** A hostile schema can nest alternatives at any depth. */
const MAX_DEPTH = 8;

/** Returns the types that a schema allows, or an empty list if it does not restrict them. */
export function allowedTypes(schema: Json | undefined, root: JsonObject, depth = 0): readonly string[] {
  if (depth === MAX_DEPTH) return [];
  const resolved = resolveSchema(schema, root);
  const { type, const: value } = resolved;
  const types = [type].flat().filter((name) => typeof name === "string");
  if (types.length > 0) return resolved["nullable"] === true ? [...types, "null"] : types;
  if (value !== undefined) return [jsonType(value)];
  const values = listOf(resolved, "enum");
  if (values.length > 0) return [...new Set(values.map(jsonType))];
  const [only, ...others] = listOf(resolved, "allOf");
  if (only !== undefined && others.length === 0) return allowedTypes(only, root, depth + 1);
  const alternatives = [...listOf(resolved, "anyOf"), ...listOf(resolved, "oneOf")];
  const byAlternative = alternatives.map((alternative) => allowedTypes(alternative, root, depth + 1));
  const isRestricted = byAlternative.every((allowed) => allowed.length > 0);
  return isRestricted ? [...new Set(byAlternative.flat())] : [];
}

/** Returns the only values that a schema allows, or undefined if it does not list them. */
export function allowedValues(schema: Json | undefined, root: JsonObject, depth = 0): readonly Json[] | undefined {
  if (depth === MAX_DEPTH) return undefined;
  const resolved = resolveSchema(schema, root);
  if (resolved["const"] !== undefined) return [resolved["const"]];
  if (Array.isArray(resolved["enum"])) return resolved["enum"];
  if (resolved["type"] === "null") return [null];
  const [only, ...others] = listOf(resolved, "allOf");
  if (only !== undefined && others.length === 0) return allowedValues(only, root, depth + 1);
  const alternatives = [...listOf(resolved, "anyOf"), ...listOf(resolved, "oneOf")];
  if (alternatives.length === 0) return undefined;
  const byAlternative = alternatives.map((alternative) => allowedValues(alternative, root, depth + 1));
  return byAlternative.every((values) => values !== undefined) ? byAlternative.flat() : undefined;
}

/** Returns whether the value has the type. Every value has a type that JSON Schema does not define. */
export function hasType(value: Json, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return jsonType(value) === type || !JSON_TYPES.includes(type);
}

const JSON_TYPES = ["string", "number", "integer", "boolean", "null", "array", "object"];

function jsonType(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
