/** The `server/discover` request, which is both the modern handshake and the modern ping, and its result. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { META_KEYS } from "../../wire/meta-keys.ts";
import { clientIdMeta, NO_CAPABILITIES } from "../../session/identity.ts";
import type { Identity } from "../../session/identity.ts";
import { parseServerInfo } from "../../session/server-info.ts";
import type { ServerInfo } from "../../session/server-info.ts";
import { NEWEST_MODERN } from "../../session/revisions.ts";
import { requestMeta } from "./request-meta.ts";

/** The params of the first request to a server, which may be of either era. */
export function discoverParams(identity: Identity): JsonObject {
  return {
    _meta: { ...requestMeta({ identity, version: NEWEST_MODERN.name }, NO_CAPABILITIES), ...clientIdMeta(identity) },
  };
}

export interface DiscoverResult {
  readonly versions: readonly unknown[];
  readonly serverInfo: ServerInfo;
}

export function parseDiscoverResult(result: JsonObject): DiscoverResult | undefined {
  const { supportedVersions, capabilities, instructions, _meta } = result;
  if (!Array.isArray(supportedVersions)) return undefined;
  const serverInfo = isJsonObject(_meta) ? _meta[META_KEYS.serverInfo] : undefined;
  return {
    versions: supportedVersions,
    serverInfo: parseServerInfo({ capabilities, serverInfo, instructions, _meta }),
  };
}

/** Used for a modern server that does not describe itself: all methods are tried. */
export const ASSUMED_SERVER_INFO: ServerInfo = {
  capabilities: {
    tools: true,
    resources: true,
    prompts: true,
    completion: true,
    logging: true,
    tasks: true,
    subscribe: true,
    listChanged: { tools: false, resources: false, prompts: false },
  },
};
