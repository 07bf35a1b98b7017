/** Masks the values of a JSON text and keeps its keys and structure. */
import { MASK, maskUnlessReference } from "./mask-references.ts";

/** Returns undefined for a text that is not a JSON object, array or string. */
export function maskJson(text: string): string | undefined {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.stringify(maskValues(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

function maskValues(value: unknown): unknown {
  if (typeof value === "string") return maskJson(value) ?? maskUnlessReference(value);
  if (typeof value === "number") return MASK;
  if (Array.isArray(value)) return value.map(maskValues);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskValues(one)]));
}
