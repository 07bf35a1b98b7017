/** Follows the references within a schema of a server. Never reads files or the network. Pure. */
import { isJsonObject } from "../lib/json.ts";
import type { Json, JsonObject } from "../lib/json.ts";

/** A longer chain of references may be a loop. It is treated as one that leads nowhere. */
const MAX_REFERENCES = 10;

/**
 * Returns the schema that `$ref` leads to, with the keywords beside `$ref`. Returns an empty schema for `true`, for a
 * value that is not a schema, and for a reference outside the root schema.
 */
export function resolveSchema(schema: Json | undefined, root: JsonObject): JsonObject {
  let current = schema;
  for (let references = 0; references <= MAX_REFERENCES; references++) {
    if (!isJsonObject(current)) return {};
    const { $ref } = current;
    if (typeof $ref !== "string") return current;
    const target = resolveRef(root, $ref) ?? {};
    // Copies only if there are other keywords, because a schema may be large.
    current = Object.keys(current).length === 1 ? target : { ...target, ...current, $ref: target["$ref"] };
  }
  return {};
}

/** Returns the schema that `ref` points to, such as `#/$defs/name`. Returns undefined for any other reference. */
export function resolveRef(root: JsonObject, ref: string): JsonObject | undefined {
  if (ref !== "#" && !ref.startsWith("#/")) return undefined;
  let current: Json | undefined = root;
  for (const step of ref.split("/").slice(1)) {
    const key = decodeKey(step);
    if (typeof current !== "object" || current === null || key === undefined || !Object.hasOwn(current, key))
      return undefined;
    current = (current as JsonObject)[key];
  }
  return isJsonObject(current) ? current : undefined;
}

function decodeKey(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    // The percent-encoding is invalid.
    return undefined;
  }
}

/** Returns the alternatives of `anyOf` and `oneOf`. Empty if the schema has none. */
export function alternativesOf(schema: JsonObject): readonly Json[] {
  return [...keywordList(schema, "anyOf"), ...keywordList(schema, "oneOf")];
}

/** Returns the value of a keyword if it is a list, otherwise an empty list. */
export function keywordList(schema: JsonObject, keyword: string): readonly Json[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

/** Returns the value of a keyword if it is a string. */
export function keywordText(schema: JsonObject, keyword: string): string | undefined {
  const value = schema[keyword];
  return typeof value === "string" ? value : undefined;
}
