/**
 * What a server offered when it was last seen, as text that can be kept, so that
 * a server that is not running can be shown. Pure. It belongs to the very
 * definition it was seen with: another login may be offered other things.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Prompt, Resource, ResourceTemplate } from "@plugboard/contracts";
import { readToolPage } from "../wire/read-tools.ts";
import type { Listed, ListKind } from "./list-pages.ts";
import type { ToolCatalog } from "./list-tools.ts";
import { PROMPTS } from "./prompt-list.ts";
import { RESOURCES, TEMPLATES } from "./resource-lists.ts";

/** Absent is what nobody has asked for yet. */
export interface CatalogSnapshot {
  readonly tools: ToolCatalog;
  readonly resources?: Listed<Resource>;
  readonly templates?: Listed<ResourceTemplate>;
  readonly prompts?: Listed<Prompt>;
}

const VERSION = 1;

export function encodeSnapshot({ tools, resources, templates, prompts }: CatalogSnapshot): string {
  return JSON.stringify({
    version: VERSION,
    tools: tools.tools,
    resources: resources?.items,
    templates: templates?.items,
    prompts: prompts?.items,
  });
}

/** Nothing, if the text is not one of ours or is damaged; it is no more than what could be listed again. */
export function decodeSnapshot(text: string): CatalogSnapshot | undefined {
  const saved = parse(text);
  if (!isJsonObject(saved) || saved["version"] !== VERSION) return undefined;
  const tools = readToolPage({ tools: saved["tools"] ?? null });
  if (!tools) return undefined;
  const resources = read(RESOURCES, saved["resources"]);
  const templates = read(TEMPLATES, saved["templates"]);
  const prompts = read(PROMPTS, saved["prompts"]);
  return {
    tools: { tools: tools.tools, dropped: [] },
    ...(resources && { resources }),
    ...(templates && { templates }),
    ...(prompts && { prompts }),
  };
}

/** By the same eyes that read it from the server. */
function read<Item>(kind: ListKind<Item>, saved: Json | undefined): Listed<Item> | undefined {
  const page = kind.readPage({ [kind.key]: saved ?? null });
  return page && { items: page.items, dropped: [] };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}
