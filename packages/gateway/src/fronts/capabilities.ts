/**
 * The capabilities that the gateway offers to its clients. Everything that any server may have is offered, because a
 * legacy client learns the capabilities only once, and servers come and go. Extensions are those of the servers.
 */
import type { JsonObject } from "@plugboard/contracts";
import type { ForwardedServer } from "@plugboard/host/forwarding";
import type { ServerCapabilities } from "@plugboard/mcp";

/** Calls `servers` only when a field that depends on them is read. A tool call, for example, reads none of these. */
export function frontCapabilities(servers: () => readonly ForwardedServer[]): ServerCapabilities {
  return {
    tools: true,
    resources: true,
    prompts: true,
    completion: true,
    logging: true,
    get tasks() {
      return servers().some(({ capabilities }) => capabilities?.tasks);
    },
    get extensions() {
      return joinedExtensions(servers());
    },
    subscribe: true,
    listChanged: LIST_CHANGED,
  };
}

const LIST_CHANGED = { tools: true, resources: true, prompts: true };

/** If several servers declare an extension, each of its settings comes from the first server that has the setting. */
function joinedExtensions(servers: readonly ForwardedServer[]): { [name: string]: JsonObject } | undefined {
  const joined: { [name: string]: JsonObject } = {};
  for (const { capabilities } of servers) {
    for (const [name, settings] of Object.entries(capabilities?.extensions ?? {})) {
      joined[name] = { ...settings, ...joined[name] };
    }
  }
  return Object.keys(joined).length > 0 ? joined : undefined;
}
