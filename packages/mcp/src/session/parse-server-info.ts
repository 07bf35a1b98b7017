/** What a server says of itself and of what it offers, in the words that both eras share. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";
import { TASKS_EXTENSION } from "./identity.ts";
import { parseHostIds } from "./host-ids.ts";
import type { ServerCapabilities, ServerInfo } from "./session.ts";

export function parseServerInfo(raw: {
  capabilities: Json | undefined;
  serverInfo: Json | undefined;
  instructions: Json | undefined;
  _meta: Json | undefined;
}): ServerInfo {
  const { name, version } = isJsonObject(raw.serverInfo) ? raw.serverInfo : {};
  const instances = parseHostIds(raw._meta);
  return {
    capabilities: parseServerCapabilities(raw.capabilities),
    ...(typeof name === "string" && { name }),
    ...(typeof version === "string" && { serverVersion: version }),
    ...(typeof raw.instructions === "string" && { instructions: raw.instructions }),
    ...(instances.length > 0 && { instances }),
  };
}

function parseServerCapabilities(capabilities: Json | undefined): ServerCapabilities {
  const { tools, resources, prompts, completions, logging, extensions } = isJsonObject(capabilities)
    ? capabilities
    : {};
  return {
    tools: isJsonObject(tools),
    resources: isJsonObject(resources),
    prompts: isJsonObject(prompts),
    completion: isJsonObject(completions),
    logging: isJsonObject(logging),
    tasks: isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]),
    subscribe: hasFlag(resources, "subscribe"),
    listChanged: {
      tools: hasFlag(tools, "listChanged"),
      resources: hasFlag(resources, "listChanged"),
      prompts: hasFlag(prompts, "listChanged"),
    },
  };
}

function hasFlag(capability: Json | undefined, flag: string): boolean {
  return isJsonObject(capability) && capability[flag] === true;
}
