/** What a server says of itself and of what it offers, in the words that both eras share. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";
import type { ServerFacts } from "./session.ts";

export function readServerFacts(said: {
  capabilities: Json | undefined;
  serverInfo: Json | undefined;
  instructions: Json | undefined;
}): ServerFacts {
  const tools = isJsonObject(said.capabilities) ? said.capabilities["tools"] : undefined;
  const { name, version } = isJsonObject(said.serverInfo) ? said.serverInfo : {};
  return {
    offersTools: isJsonObject(tools),
    toolsChange: isJsonObject(tools) && tools["listChanged"] === true,
    ...(typeof name === "string" && { name }),
    ...(typeof version === "string" && { serverVersion: version }),
    ...(typeof said.instructions === "string" && { instructions: said.instructions }),
  };
}
