/**
 * Estimates the size of a value as JSON without serialising it, which would be slow for long strings.
 * A value with very many parts, or a very deep value, is counted only up to a limit. An estimate
 * below `INCOMPLETE_FROM` includes all parts.
 */
const MAX_PARTS = 10_000;
/**
 * An incomplete estimate is at least this: each counted part has a byte or more, and a too deep part counts as this.
 */
export const INCOMPLETE_FROM = MAX_PARTS;
const MAX_DEPTH = 200;

export function estimateJsonBytes(value: unknown): number {
  partsLeft = MAX_PARTS;
  return bytesOf(value, MAX_DEPTH);
}

/**
 * How many parts the current estimate may still count. A module variable suffices, because an estimate is synchronous.
 */
let partsLeft = 0;

function bytesOf(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "number") return String(value).length;
  if (typeof value !== "object" || value === null) return value === false ? 5 : 4;
  if (depth === 0) return INCOMPLETE_FROM;
  return Array.isArray(value) ? listBytes(value, depth - 1) : objectBytes(value, depth - 1);
}

function listBytes(items: readonly unknown[], depth: number): number {
  let bytes = 2 + Math.max(0, items.length - 1);
  for (let index = 0; index < items.length && --partsLeft > 0; index++) bytes += bytesOf(items[index], depth);
  return bytes;
}

function objectBytes(object: object, depth: number): number {
  // One comma less than there are keys.
  let bytes = -1;
  for (const key in object) {
    const value = (object as { readonly [key: string]: unknown })[key];
    if (value === undefined) continue;
    bytes += key.length + 4;
    if (--partsLeft > 0) bytes += bytesOf(value, depth);
  }
  return 2 + Math.max(0, bytes);
}
