/** Follows the references within a schema of a server. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { resolveRef } from "@plugboard/host/internal";

/** A chain of references that is longer is treated as one that leads nowhere. It may be a loop. */
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

/** Returns the value of a keyword if it is a list, otherwise an empty list. */
export function listOf(schema: JsonObject, keyword: string): readonly Json[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

/** Returns the value of a keyword if it is a string. */
export function textOf(schema: JsonObject, keyword: string): string | undefined {
  const value = schema[keyword];
  return typeof value === "string" ? value : undefined;
}
