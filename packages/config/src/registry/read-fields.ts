/**
 * Reads the fields of an untrusted answer. Each function throws `InvalidField` for a value of another type
 * or size. Treats null as absent.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";

/** Names the field, but does not quote its content. */
export class InvalidField extends Error {
  override readonly name = "InvalidField";

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
  }
}

const MAX_TEXT_LENGTH = 8192;
const MAX_ITEMS = 256;

export function readObject(value: unknown, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new InvalidField(path, "is not an object");
}

export function readText(value: unknown, path: string): string {
  if (typeof value !== "string" || value === "") throw new InvalidField(path, "is not a text");
  if (value.length > MAX_TEXT_LENGTH) throw new InvalidField(path, `has more than ${MAX_TEXT_LENGTH} characters`);
  return value;
}

/** Treats an empty text as absent. */
export function readOptionalText(value: unknown, path: string): string | undefined {
  return isAbsent(value) || value === "" ? undefined : readText(value, path);
}

export function readFlag(value: unknown, path: string): boolean {
  if (isAbsent(value)) return false;
  if (typeof value !== "boolean") throw new InvalidField(path, "is not true or false");
  return value;
}

/** Returns an empty list if the field is absent. */
export function readList<Item>(value: unknown, path: string, readItem: (item: unknown, path: string) => Item): Item[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw new InvalidField(path, "is not a list");
  if (value.length > MAX_ITEMS) throw new InvalidField(path, `has more than ${MAX_ITEMS} items`);
  return value.map((item, index) => readItem(item, `${path}[${index}]`));
}

/** Returns an empty object if the field is absent. */
export function readMap<Item>(
  value: unknown,
  path: string,
  readItem: (item: unknown, path: string) => Item,
): { readonly [name: string]: Item } {
  if (isAbsent(value)) return {};
  const entries = Object.entries(readObject(value, path));
  if (entries.length > MAX_ITEMS) throw new InvalidField(path, `has more than ${MAX_ITEMS} fields`);
  return Object.fromEntries(entries.map(([name, item]) => [name, readItem(item, `${path} item`)]));
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}
