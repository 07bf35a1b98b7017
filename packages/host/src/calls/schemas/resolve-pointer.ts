/** Finds what a reference like `#/$defs/item` points to, in its own schema only. */
import type { Json } from "@plugboard/contracts";

export function resolvePointer(root: Json, reference: string): Json | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let found: Json | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = unescapePart(part);
    if (typeof found !== "object" || found === null || key === undefined || !Object.hasOwn(found, key))
      return undefined;
    found = (found as Readonly<Record<string, Json | undefined>>)[key];
  }
  return found;
}

/** The names that a pointer to a value consists of; these are not percent-encoded. */
export function pointerKeys(pointer: string): string[] {
  return pointer.split("/").slice(1).map(unescapeTilde);
}

function unescapePart(part: string): string | undefined {
  try {
    return unescapeTilde(decodeURIComponent(part));
  } catch {
    return undefined; // Not percent-encoding, so it names nothing.
  }
}

function unescapeTilde(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
