/** Converts the values of other formats to JSON. */
import type { Json } from "@plugboard/contracts";

export const MAX_DEPTH = 100;

/** Converts dates and big integers to strings, and other values that JSON does not have to null. Throws `TooDeep`. */
export function toJson(value: unknown, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new TooDeep();
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1));
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object") return null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item, depth + 1)]));
}

export class TooDeep extends Error {
  override readonly message = `more than ${MAX_DEPTH} levels`;
}
