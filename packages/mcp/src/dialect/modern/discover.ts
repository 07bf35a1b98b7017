/** What `server/discover` tells. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { META } from "../../wire/meta-keys.ts";
import { readServerFacts } from "../read-server-facts.ts";
import type { ServerFacts } from "../session.ts";

export function readDiscovered(result: JsonObject): { versions: readonly unknown[]; facts: ServerFacts } | undefined {
  const { supportedVersions, capabilities, instructions, _meta } = result;
  if (!Array.isArray(supportedVersions)) return undefined;
  const serverInfo = isJsonObject(_meta) ? _meta[META.serverInfo] : undefined;
  return { versions: supportedVersions, facts: readServerFacts({ capabilities, serverInfo, instructions, _meta }) };
}

/** A server that is modern but would not say what it offers is asked for everything. */
export const UNDISCOVERED: ServerFacts = {
  offers: {
    tools: true,
    resources: true,
    prompts: true,
    completion: true,
    logging: true,
    tasks: true,
    subscribe: true,
    changes: { tools: false, resources: false, prompts: false },
  },
};
