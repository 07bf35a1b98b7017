/** Resolves references within a schema. Never reads files or the network. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

const DEFINITION = /^#\/(?:\$defs|definitions)\/[^/]+$/;

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

/** Returns whether every provider supports the reference: to the whole schema or to a definition. */
export function isDefinitionRef(ref: string): boolean {
  return ref === "#" || DEFINITION.test(ref);
}

function decodeKey(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    // The percent-encoding is invalid.
    return undefined;
  }
}
