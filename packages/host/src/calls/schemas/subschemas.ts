/** Finds the subschemas of a schema, in every JSON Schema dialect that Ajv validates here. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

const ONE = new Set([
  ...["items", "additionalItems", "unevaluatedItems", "contains", "not", "if", "then", "else"],
  ...["additionalProperties", "unevaluatedProperties", "propertyNames"],
]);
const LIST = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const MAP = new Set(["properties", "patternProperties", "dependentSchemas", "dependencies"]);

export function subschemas(schema: JsonObject): (Json | undefined)[] {
  return Object.entries(schema).flatMap(([keyword, value]): (Json | undefined)[] => {
    if (isJsonObject(value)) return ONE.has(keyword) ? [value] : MAP.has(keyword) ? Object.values(value) : [];
    return Array.isArray(value) && LIST.has(keyword) ? [...value] : [];
  });
}

/** Copies the schema and replaces each subschema. */
export function mapSubschemas(schema: JsonObject, replace: (inner: JsonObject) => Json): JsonObject {
  const each = (value: Json | undefined) => (isJsonObject(value) ? replace(value) : value);
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json | undefined] => {
    if (Array.isArray(value)) return [keyword, LIST.has(keyword) ? value.map((inner) => each(inner)!) : value];
    if (!isJsonObject(value)) return [keyword, value];
    if (MAP.has(keyword)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, each(inner)]))];
    }
    return [keyword, ONE.has(keyword) ? replace(value) : value];
  });
  return Object.fromEntries(entries);
}
