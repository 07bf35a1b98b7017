/** Sends change notifications of a server that has one instance for its whole life, as over stdio. */
import type { Server, ServerNotifier } from "@modelcontextprotocol/server";

export function notifyOnWire(server: Server): ServerNotifier {
  return {
    toolsChanged: () => void server.sendToolListChanged(),
    promptsChanged: () => void server.sendPromptListChanged(),
    resourcesChanged: () => void server.sendResourceListChanged(),
    resourceUpdated: (uri) => void server.sendResourceUpdated({ uri }),
  };
}
