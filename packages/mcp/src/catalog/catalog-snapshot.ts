/**
 * What a server offered when it was last seen, as text that can be kept, so that
 * a server that is not running can be shown. Pure. It belongs to the very
 * definition it was seen with: another login may be offered other things.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Prompt, Resource, ResourceTemplate } from "@plugboard/contracts";
import { parseToolPage } from "../wire/parse-tool-page.ts";
import type { ListResult, ListKind } from "./list-pages.ts";
import type { ToolCatalog } from "./list-tools.ts";
import { PROMPT_LIST } from "./prompt-list.ts";
import { RESOURCE_LIST, TEMPLATE_LIST } from "./resource-lists.ts";

/** Absent is what nobody has asked for yet. */
export interface CatalogSnapshot {
  readonly tools: ToolCatalog;
  readonly resources?: ListResult<Resource>;
  readonly templates?: ListResult<ResourceTemplate>;
  readonly prompts?: ListResult<Prompt>;
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
  const saved = parseJson(text);
  if (!isJsonObject(saved) || saved["version"] !== VERSION) return undefined;
  const tools = parseToolPage({ tools: saved["tools"] ?? null });
  if (!tools) return undefined;
  const resources = decodeList(RESOURCE_LIST, saved["resources"]);
  const templates = decodeList(TEMPLATE_LIST, saved["templates"]);
  const prompts = decodeList(PROMPT_LIST, saved["prompts"]);
  return {
    tools: { tools: tools.tools, dropped: [] },
    ...(resources && { resources }),
    ...(templates && { templates }),
    ...(prompts && { prompts }),
  };
}

/** By the same eyes that read it from the server. */
function decodeList<Item>(kind: ListKind<Item>, saved: Json | undefined): ListResult<Item> | undefined {
  const page = kind.parsePage({ [kind.key]: saved ?? null });
  return page && { items: page.items, dropped: [] };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}
