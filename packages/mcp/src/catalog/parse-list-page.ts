/** Reads a page of a list tolerantly: what is malformed is left out with a reason, the others stay. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { DroppedItem, Page } from "./list-pages.ts";

const MAX_ID_LENGTH = 4000;
/** The first that are left out are named, the others counted: a page may hold millions. */
const MAX_NAMED = 100;

/**
 * `id` names the key by which one item is told from another; without it there is nothing to call it by. The item
 * itself is made by `make`, of what it has of the right type.
 */
export function parseListPage<Item>(
  result: JsonObject,
  key: string,
  idKey: string,
  parseItem: (id: string, value: JsonObject) => Item,
): Page<Item> | undefined {
  const list = result[key];
  if (!Array.isArray(list)) return undefined;
  const items: Item[] = [];
  const dropped: DroppedItem[] = [];
  let more = 0;
  list.forEach((value, at) => {
    const read = parseId(value, idKey, at);
    if (typeof read === "string") items.push(parseItem(read, value as JsonObject));
    else if (dropped.length < MAX_NAMED) dropped.push(read);
    else more += 1;
  });
  return { items, dropped, ...(more > 0 && { more }) };
}

function parseId(value: Json, key: string, index: number): string | DroppedItem {
  const placeholder = `#${index + 1}`;
  if (!isJsonObject(value)) return { name: placeholder, reason: "it is not an object" };
  const id = value[key];
  if (typeof id !== "string" || id === "") return { name: placeholder, reason: `it has no ${key}` };
  if (id.length <= MAX_ID_LENGTH) return id;
  return { name: `${id.slice(0, 100)}…`, reason: `its ${key} is over ${MAX_ID_LENGTH} characters` };
}

/** Of these keys, what is a text. */
export function pickStrings<Key extends string>(value: JsonObject, keys: readonly Key[]): { [K in Key]?: string } {
  const found: { [K in Key]?: string } = {};
  for (const key of keys) {
    const text = value[key];
    if (typeof text === "string") found[key] = text;
  }
  return found;
}
