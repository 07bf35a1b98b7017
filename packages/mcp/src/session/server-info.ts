/** How a server describes itself, and how these descriptions are parsed and written in both eras. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { parseExtensions, parseHostIds, TASKS_EXTENSION } from "./identity.ts";

export interface ServerInfo {
  readonly name?: string;
  readonly serverVersion?: string;
  readonly instructions?: string;
  /** The ids of all hosts reachable through the server. */
  readonly hostIds?: readonly string[];
  readonly capabilities: ServerCapabilities;
}

/** The declared capabilities of a server. Plugboard sends no request that needs an undeclared one. */
export interface ServerCapabilities {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly completion: boolean;
  readonly logging: boolean;
  readonly tasks: boolean;
  /** The settings of all other extensions, by name. Absent if there are none. */
  readonly extensions?: { readonly [name: string]: JsonObject } | undefined;
  /** True if the server notifies about updates of single resources. */
  readonly subscribe: boolean;
  /** The lists whose changes the server notifies about. */
  readonly listChanged: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
}

export function parseServerInfo(raw: {
  capabilities: Json | undefined;
  serverInfo: Json | undefined;
  instructions: Json | undefined;
  _meta: Json | undefined;
}): ServerInfo {
  const { name, version } = isJsonObject(raw.serverInfo) ? raw.serverInfo : {};
  const hostIds = parseHostIds(raw._meta);
  return {
    capabilities: parseServerCapabilities(raw.capabilities),
    ...(typeof name === "string" && { name }),
    ...(typeof version === "string" && { serverVersion: version }),
    ...(typeof raw.instructions === "string" && { instructions: raw.instructions }),
    ...(hostIds.length > 0 && { hostIds }),
  };
}

export function parseServerCapabilities(capabilities: Json | undefined): ServerCapabilities {
  const { tools, resources, prompts, completions, logging, extensions } = isJsonObject(capabilities)
    ? capabilities
    : {};
  const { [TASKS_EXTENSION]: tasks, ...others } = parseExtensions(extensions);
  return {
    tools: isJsonObject(tools),
    resources: isJsonObject(resources),
    prompts: isJsonObject(prompts),
    completion: isJsonObject(completions),
    logging: isJsonObject(logging),
    tasks: tasks !== undefined,
    ...(Object.keys(others).length > 0 && { extensions: others }),
    subscribe: hasFlag(resources, "subscribe"),
    listChanged: {
      tools: hasFlag(tools, "listChanged"),
      resources: hasFlag(resources, "listChanged"),
      prompts: hasFlag(prompts, "listChanged"),
    },
  };
}

/** Returns the `capabilities` object that our gateway sends to a client. */
export function toWireCapabilities({ listChanged, ...capabilities }: ServerCapabilities): JsonObject {
  const { tools, resources, prompts, completion, logging, tasks, extensions, subscribe } = capabilities;
  return {
    ...(tools && { tools: { listChanged: listChanged.tools } }),
    ...(resources && { resources: { listChanged: listChanged.resources, subscribe } }),
    ...(prompts && { prompts: { listChanged: listChanged.prompts } }),
    ...(completion && { completions: {} }),
    ...(logging && { logging: {} }),
    ...((tasks || extensions) && { extensions: { ...extensions, ...(tasks && { [TASKS_EXTENSION]: {} }) } }),
  };
}

function hasFlag(capability: Json | undefined, flag: string): boolean {
  return isJsonObject(capability) && capability[flag] === true;
}
