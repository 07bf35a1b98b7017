/** What `server/discover` tells. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { META_KEYS } from "../../wire/meta-keys.ts";
import { parseServerInfo } from "../../session/parse-server-info.ts";
import type { ServerInfo } from "../../session/session.ts";

export function parseDiscoverResult(
  result: JsonObject,
): { versions: readonly unknown[]; facts: ServerInfo } | undefined {
  const { supportedVersions, capabilities, instructions, _meta } = result;
  if (!Array.isArray(supportedVersions)) return undefined;
  const serverInfo = isJsonObject(_meta) ? _meta[META_KEYS.serverInfo] : undefined;
  return { versions: supportedVersions, facts: parseServerInfo({ capabilities, serverInfo, instructions, _meta }) };
}

/** A server that is modern but would not say what it offers is asked for everything. */
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
