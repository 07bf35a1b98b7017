/** The structure of JSON Schema: the dialect of a schema, and its subschemas in every supported dialect. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

export type SchemaDialect = "2020-12" | "2019-09" | "draft-07";

/** The default is 2020-12, as MCP specifies. Returns undefined for an unsupported dialect. */
export function dialectOf({ $schema }: JsonObject): SchemaDialect | undefined {
  if ($schema === undefined) return "2020-12";
  return typeof $schema === "string" ? DIALECTS.get($schema.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined;
}

const DIALECTS = new Map<string, SchemaDialect>([
  ["json-schema.org/schema", "2020-12"],
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft-07/schema", "draft-07"],
  // Draft-07 is compatible with draft-06.
  ["json-schema.org/draft-06/schema", "draft-07"],
]);

/**
 * The keywords that contain a schema, a list of schemas, or an object of schemas. `items` contains a schema or a list.
 */
const SINGLE_KEYWORDS = new Set([
  ...["items", "additionalItems", "unevaluatedItems", "contains", "not", "if", "then", "else"],
  ...["additionalProperties", "unevaluatedProperties", "propertyNames"],
]);
const LIST_KEYWORDS = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const MAP_KEYWORDS = new Set(["properties", "patternProperties", "dependentSchemas", "dependencies"]);

interface Subschema {
  readonly schema: Json | undefined;
  /** The length of the path from the outer schema to this one, such as `/properties/name`. */
  readonly pathChars: number;
}

export function subschemas(schema: JsonObject): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]): Subschema[] => {
    if (typeof value !== "object" || value === null) return [];
    const keywordChars = keyword.length + 1;
    if (SINGLE_KEYWORDS.has(keyword) && !Array.isArray(value)) return [{ schema: value, pathChars: keywordChars }];
    if (!(Array.isArray(value) ? LIST_KEYWORDS : MAP_KEYWORDS).has(keyword)) return [];
    return Object.entries(value).map(([key, inner]) => ({ schema: inner, pathChars: keywordChars + 1 + key.length }));
  });
}

/** Copies the schema and replaces each subschema. */
export function mapSubschemas(schema: JsonObject, replace: (inner: JsonObject) => Json): JsonObject {
  const replaceIfObject = (value: Json | undefined) => (isJsonObject(value) ? replace(value) : value);
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json | undefined] => {
    if (Array.isArray(value))
      return [keyword, LIST_KEYWORDS.has(keyword) ? value.map((inner) => replaceIfObject(inner)!) : value];
    if (!isJsonObject(value)) return [keyword, value];
    if (MAP_KEYWORDS.has(keyword)) {
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaceIfObject(inner)])),
      ];
    }
    return [keyword, SINGLE_KEYWORDS.has(keyword) ? replace(value) : value];
  });
  return Object.fromEntries(entries);
}
