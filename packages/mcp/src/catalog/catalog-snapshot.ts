/**
 * Encodes and decodes the stored catalog of a server, which is shown while the server is not running. A snapshot belongs
 * to one definition of the server, because another login may see other tools.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Prompt, Resource, ResourceTemplate } from "@plugboard/contracts";
import { parseServerCapabilities, toWireCapabilities } from "../session/server-info.ts";
import type { ServerInfo } from "../session/server-info.ts";
import { parseToolPage } from "../wire/parse-tools.ts";
import type { ListResult, ListKind } from "./list-pages.ts";
import { PROMPT_LIST, RESOURCE_LIST, TEMPLATE_LIST } from "./list-kinds.ts";
import type { ToolCatalog } from "./tool-list.ts";

/** A list is absent if it was never listed. */
export interface CatalogSnapshot {
  readonly tools: ToolCatalog;
  readonly resources?: ListResult<Resource>;
  readonly templates?: ListResult<ResourceTemplate>;
  readonly prompts?: ListResult<Prompt>;
  /** What the server said about itself at the last connection. */
  readonly serverInfo?: Pick<ServerInfo, "capabilities" | "instructions">;
}

const VERSION = 1;

export function encodeSnapshot({ tools, resources, templates, prompts, serverInfo }: CatalogSnapshot): string {
  return JSON.stringify({
    version: VERSION,
    tools: tools.tools,
    resources: resources?.items,
    templates: templates?.items,
    prompts: prompts?.items,
    capabilities: serverInfo && toWireCapabilities(serverInfo.capabilities),
    instructions: serverInfo?.instructions,
  });
}

/** Returns undefined if the text is damaged or of another version, because the catalog can be listed again. */
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
    ...decodeServerInfo(saved),
  };
}

function decodeServerInfo({ capabilities, instructions }: JsonObject): Pick<CatalogSnapshot, "serverInfo"> {
  if (!isJsonObject(capabilities)) return {};
  const text = typeof instructions === "string" && { instructions };
  return { serverInfo: { capabilities: parseServerCapabilities(capabilities), ...text } };
}

/** Validates the stored items with the parser for the server's pages. */
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
