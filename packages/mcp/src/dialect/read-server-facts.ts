/** What a server says of itself and of what it offers, in the words that both eras share. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";
import { TASKS } from "./identity.ts";
import { readHostIds } from "./host-ids.ts";
import type { Offers, ServerFacts } from "./session.ts";

export function readServerFacts(said: {
  capabilities: Json | undefined;
  serverInfo: Json | undefined;
  instructions: Json | undefined;
  _meta: Json | undefined;
}): ServerFacts {
  const { name, version } = isJsonObject(said.serverInfo) ? said.serverInfo : {};
  const instances = readHostIds(said._meta);
  return {
    offers: readOffers(said.capabilities),
    ...(typeof name === "string" && { name }),
    ...(typeof version === "string" && { serverVersion: version }),
    ...(typeof said.instructions === "string" && { instructions: said.instructions }),
    ...(instances.length > 0 && { instances }),
  };
}

function readOffers(capabilities: Json | undefined): Offers {
  const { tools, resources, prompts, completions, logging, extensions } = isJsonObject(capabilities)
    ? capabilities
    : {};
  return {
    tools: isJsonObject(tools),
    resources: isJsonObject(resources),
    prompts: isJsonObject(prompts),
    completion: isJsonObject(completions),
    logging: isJsonObject(logging),
    tasks: isJsonObject(extensions) && isJsonObject(extensions[TASKS]),
    subscribe: says(resources, "subscribe"),
    changes: {
      tools: says(tools, "listChanged"),
      resources: says(resources, "listChanged"),
      prompts: says(prompts, "listChanged"),
    },
  };
}

function says(capability: Json | undefined, flag: string): boolean {
  return isJsonObject(capability) && capability[flag] === true;
}
