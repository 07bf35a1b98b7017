/** Finds the subschemas of a schema, in every JSON Schema dialect that Ajv validates here. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

const SINGLE_KEYWORDS = new Set([
  ...["items", "additionalItems", "unevaluatedItems", "contains", "not", "if", "then", "else"],
  ...["additionalProperties", "unevaluatedProperties", "propertyNames"],
]);
const LIST_KEYWORDS = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const MAP_KEYWORDS = new Set(["properties", "patternProperties", "dependentSchemas", "dependencies"]);

interface Subschema {
  readonly schema: Json | undefined;
  /** The length of the path from the schema to it, like `/properties/name`. */
  readonly pathChars: number;
}

export function subschemas(schema: JsonObject): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]): Subschema[] => {
    if (typeof value !== "object" || value === null) return [];
    const own = keyword.length + 1;
    if (SINGLE_KEYWORDS.has(keyword) && !Array.isArray(value)) return [{ schema: value, pathChars: own }];
    if (!(Array.isArray(value) ? LIST_KEYWORDS : MAP_KEYWORDS).has(keyword)) return [];
    return Object.entries(value).map(([key, inner]) => ({ schema: inner, pathChars: own + 1 + key.length }));
  });
}

/** Copies the schema and replaces each subschema. */
export function mapSubschemas(schema: JsonObject, replace: (inner: JsonObject) => Json): JsonObject {
  const each = (value: Json | undefined) => (isJsonObject(value) ? replace(value) : value);
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json | undefined] => {
    if (Array.isArray(value)) return [keyword, LIST_KEYWORDS.has(keyword) ? value.map((inner) => each(inner)!) : value];
    if (!isJsonObject(value)) return [keyword, value];
    if (MAP_KEYWORDS.has(keyword)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, each(inner)]))];
    }
    return [keyword, SINGLE_KEYWORDS.has(keyword) ? replace(value) : value];
  });
  return Object.fromEntries(entries);
}
