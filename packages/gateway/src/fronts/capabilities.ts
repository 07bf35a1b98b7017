/**
 * The capabilities that the gateway offers to its clients. Everything that any server may have is offered, because a
 * legacy client learns the capabilities only once, and servers come and go. Extensions are those of the servers.
 */
import type { JsonObject } from "@plugboard/contracts";
import type { ForwardedServer } from "@plugboard/host/internal";
import type { ServerCapabilities } from "@plugboard/mcp";

export function frontCapabilities(servers: readonly ForwardedServer[]): ServerCapabilities {
  const extensions = joinedExtensions(servers);
  return {
    tools: true,
    resources: true,
    prompts: true,
    completion: true,
    logging: true,
    tasks: servers.some(({ capabilities }) => capabilities?.tasks),
    ...(Object.keys(extensions).length > 0 && { extensions }),
    subscribe: true,
    listChanged: { tools: true, resources: true, prompts: true },
  };
}

/** If several servers declare an extension, a setting is that of the first server that has it. */
function joinedExtensions(servers: readonly ForwardedServer[]): { [name: string]: JsonObject } {
  const joined: { [name: string]: JsonObject } = {};
  for (const { capabilities } of servers) {
    for (const [name, settings] of Object.entries(capabilities?.extensions ?? {})) {
      joined[name] = { ...settings, ...joined[name] };
    }
  }
  return joined;
}
