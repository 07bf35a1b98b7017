/**
 * Checks a value against the most common keywords of JSON Schema. True means that the value is valid; false means that
 * Ajv has to decide and to describe the problems. Most calls therefore need no Ajv, which takes long to load. Pure.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { dialectOf } from "./json-schema.ts";

export function isClearlyValid(schema: JsonObject, value: Json): boolean {
  return dialectOf(schema) !== undefined && matches(schema, value);
}

function matches(schema: Json | undefined, value: Json): boolean {
  if (schema === true) return true;
  if (!isJsonObject(schema)) return false;
  return Object.keys(schema).every(
    (keyword) => ANNOTATIONS.has(keyword) || CHECKS.get(keyword)?.(schema[keyword]!, value, schema) === true,
  );
}

/** Keywords that never make a value invalid. */
const ANNOTATIONS = new Set([
  ...["$schema", "$comment", "title", "description", "default", "examples"],
  ...["deprecated", "readOnly", "writeOnly"],
]);

/** Each check returns true if the value satisfies the keyword. A malformed keyword satisfies nothing. */
const CHECKS = new Map<string, (keyword: Json, value: Json, schema: JsonObject) => boolean>([
  [
    "type",
    (types, value) => (Array.isArray(types) ? types.some((type) => hasType(type, value)) : hasType(types, value)),
  ],
  ["enum", (values, value) => Array.isArray(values) && isPrimitive(value) && values.includes(value)],
  ["const", (constant, value) => isPrimitive(constant) && constant === value],
  ["minimum", (limit, value) => typeof limit === "number" && !(typeof value === "number" && value < limit)],
  ["maximum", (limit, value) => typeof limit === "number" && !(typeof value === "number" && value > limit)],
  ["items", (items, value) => !Array.isArray(value) || value.every((item) => matches(items, item))],
  ["required", hasRequired],
  ["properties", (properties, value) => isJsonObject(properties) && propertiesMatch(properties, value)],
  ["additionalProperties", additionalPropertiesMatch],
]);

const TYPES = new Map<string, (value: Json) => boolean>([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => Number.isFinite(value)],
  ["integer", (value) => Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", (value) => Array.isArray(value)],
  ["object", (value) => isJsonObject(value)],
]);

function hasType(type: Json, value: Json): boolean {
  return TYPES.get(type as string)?.(value) === true;
}

function hasRequired(names: Json, value: Json): boolean {
  if (!Array.isArray(names)) return false;
  return !isJsonObject(value) || names.every((name) => typeof name === "string" && Object.hasOwn(value, name));
}

function propertiesMatch(properties: JsonObject, value: Json): boolean {
  if (!isJsonObject(value)) return true;
  return Object.keys(value).every(
    (name) => !Object.hasOwn(properties, name) || matches(properties[name], value[name]!),
  );
}

function additionalPropertiesMatch(additional: Json, value: Json, { properties }: JsonObject): boolean {
  if (additional === true || !isJsonObject(value)) return true;
  const isDeclared = (name: string) => isJsonObject(properties) && Object.hasOwn(properties, name);
  return Object.keys(value).every((name) => isDeclared(name) || matches(additional, value[name]!));
}

function isPrimitive(value: Json): boolean {
  return typeof value !== "object" || value === null;
}
