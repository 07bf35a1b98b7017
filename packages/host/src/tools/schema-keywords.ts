/** The keywords of JSON Schema 2020-12 and their valid values. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";

/** Keywords whose value is a schema. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords whose value is a list of schemas. */
export const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

/** Keywords whose value maps names to schemas. */
export const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

type ValueCheck = (value: Json) => boolean;

/** The other keywords that models get, with a check of their value. */
export const VALUE_KEYWORDS: ReadonlyMap<string, ValueCheck> = new Map<string, ValueCheck>([
  ["type", (value) => (Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value))],
  ["enum", (value) => Array.isArray(value) && value.length > 0],
  ["required", isStringList],
  ["examples", Array.isArray],
  ["dependentRequired", (value) => isJsonObject(value) && Object.values(value).every(isStringList)],
  ["pattern", isPattern],
  ...withCheck(["const", "default"], () => true),
  ...withCheck(["$ref", "title", "description", "format", "contentEncoding", "contentMediaType"], isString),
  ...withCheck(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], isNumber),
  ["multipleOf", (value) => isNumber(value) && Number(value) > 0],
  ...withCheck(
    ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
    isNonNegativeInteger,
  ),
  ...withCheck(["minContains", "maxContains"], isNonNegativeInteger),
  ...withCheck(["uniqueItems", "deprecated", "readOnly", "writeOnly"], (value) => typeof value === "boolean"),
]);

export function isPattern(value: Json): boolean {
  if (typeof value !== "string") return false;
  try {
    return Boolean(new RegExp(value, "u"));
  } catch {
    return false;
  }
}

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

function isType(value: Json): boolean {
  return typeof value === "string" && TYPES.includes(value);
}

function isString(value: Json): boolean {
  return typeof value === "string";
}

function isStringList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every(isString);
}

function isNumber(value: Json): boolean {
  return typeof value === "number";
}

function isNonNegativeInteger(value: Json): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function withCheck(keywords: readonly string[], check: ValueCheck): [string, ValueCheck][] {
  return keywords.map((keyword) => [keyword, check]);
}
