/** What a connection tells of its server, as a status has it. */
import type { ServerStatus } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import { renameServerInError } from "../calls/rename-server-in-error.ts";

type FromDefinition = "id" | "transport" | "source" | "enabled" | "hidden" | "target";

export function liveStatus(connection: Connection, id: string): Omit<ServerStatus, FromDefinition> {
  const { state, session, catalog, pid, lastConnectedAt, retryAt } = connection;
  const ready = state.phase === "ready" ? session : undefined;
  const { name, serverVersion } = ready?.serverInfo ?? {};
  return {
    state: state.phase === "waiting" ? "connecting" : state.phase,
    tools: catalog.tools.length,
    ...(ready && { era: ready.era, version: ready.version }),
    ...(name !== undefined && { serverInfo: { name, version: serverVersion ?? "" } }),
    ...(ready && ready.ignoredMessages > 0 && { skippedMessages: ready.ignoredMessages }),
    ...(pid !== undefined && { pid }),
    ...("error" in state && state.error && { lastError: renameServerInError(state.error, id).toJSON() }),
    ...(retryAt !== undefined && { retryAt }),
    ...(state.restarts > 0 && { restarts: state.restarts }),
    ...(lastConnectedAt !== undefined && { lastConnectedAt }),
    ...(catalog.dropped.length > 0 && { droppedTools: catalog.dropped }),
  };
}
