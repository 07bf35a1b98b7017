/**
 * Estimates the size of a value as JSON without serialising it: a long string counts its characters. Values with many
 * parts, or deep ones, are counted up to a limit. An estimate below `INCOMPLETE_FROM` counts all parts.
 */
const MAX_PARTS = 10_000;
/** Each counted part has at least one byte, and a part that is too deep is taken for so many. */
export const INCOMPLETE_FROM = MAX_PARTS;
const MAX_DEPTH = 200;

export function estimateJsonBytes(value: unknown): number {
  partsLeft = MAX_PARTS;
  return bytesOf(value, MAX_DEPTH);
}

/** Of the estimate that is being made. No other code runs meanwhile. */
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
