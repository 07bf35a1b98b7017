/**
 * The lists of resources, resource templates and prompts: their methods, and how each page is parsed. The items keep
 * fields that are not parsed here.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Prompt, PromptArgument, Resource, ResourceTemplate } from "@plugboard/contracts";
import { DroppedItems } from "../wire/dropped-items.ts";
import type { DroppedItem } from "../wire/dropped-items.ts";
import type { ListKind, Page } from "./list-pages.ts";

const MAX_ID_LENGTH = 4000;

export const RESOURCE_LIST: ListKind<Resource> = {
  method: "resources/list",
  key: "resources",
  idOf: ({ uri }) => uri,
  parsePage: (result) =>
    parseListPage(result, "resources", "uri", (uri, { size, ...value }) => ({
      ...parseDescription(uri, value),
      uri,
      ...(typeof size === "number" && { size }),
    })),
};

export const TEMPLATE_LIST: ListKind<ResourceTemplate> = {
  method: "resources/templates/list",
  key: "resourceTemplates",
  idOf: ({ uriTemplate }) => uriTemplate,
  parsePage: (result) =>
    parseListPage(result, "resourceTemplates", "uriTemplate", (uriTemplate, value) => ({
      ...parseDescription(uriTemplate, value),
      uriTemplate,
    })),
};

export const PROMPT_LIST: ListKind<Prompt> = {
  method: "prompts/list",
  key: "prompts",
  idOf: ({ name }) => name,
  parsePage: (result) =>
    parseListPage(result, "prompts", "name", (name, value) => {
      const { arguments: args, title: _title, description: _description, ...others } = value;
      return {
        ...others,
        name,
        ...pickStrings(value, ["title", "description"]),
        ...(Array.isArray(args) && { arguments: args.flatMap(parseArgument) }),
      };
    }),
};

/** Uses the URI as the name if the resource has none. */
function parseDescription(uri: string, value: JsonObject) {
  const { name = uri, ...description } = pickStrings(value, ["name", "title", "description", "mimeType"]);
  const { annotations, title: _title, description: _description, mimeType: _mimeType, ...others } = value;
  return { ...others, name, ...description, ...(isJsonObject(annotations) && { annotations }) };
}

/** Returns an empty list for an argument without a name. */
function parseArgument(value: Json): PromptArgument[] {
  if (!isJsonObject(value)) return [];
  const { name, required, title: _title, description: _description, ...others } = value;
  if (typeof name !== "string" || name === "") return [];
  return [
    {
      ...others,
      name,
      ...pickStrings(value, ["title", "description"]),
      ...(typeof required === "boolean" && { required }),
    },
  ];
}

/** Drops malformed items with a reason and keeps the others. `idKey` is the key that identifies an item. */
export function parseListPage<Item>(
  result: JsonObject,
  key: string,
  idKey: string,
  parseItem: (id: string, value: JsonObject) => Item,
): Page<Item> | undefined {
  const list = result[key];
  if (!Array.isArray(list)) return undefined;
  const items: Item[] = [];
  const dropped = new DroppedItems();
  list.forEach((value, index) => {
    const id = parseId(value, idKey, index);
    if (typeof id === "string") items.push(parseItem(id, value as JsonObject));
    else dropped.add(id);
  });
  return { items, dropped: dropped.named, unnamedCount: dropped.unnamedCount };
}

function parseId(value: Json, key: string, index: number): string | DroppedItem {
  const placeholder = `#${index + 1}`;
  if (!isJsonObject(value)) return { name: placeholder, reason: "it is not an object" };
  const id = value[key];
  if (typeof id !== "string" || id === "") return { name: placeholder, reason: `it has no ${key}` };
  if (id.length <= MAX_ID_LENGTH) return id;
  return { name: `${id.slice(0, 100)}…`, reason: `its ${key} is over ${MAX_ID_LENGTH} characters` };
}

/** Copies those of the keys whose values are strings. */
function pickStrings<Key extends string>(value: JsonObject, keys: readonly Key[]): { [K in Key]?: string } {
  const found: { [K in Key]?: string } = {};
  for (const key of keys) {
    const text = value[key];
    if (typeof text === "string") found[key] = text;
  }
  return found;
}
