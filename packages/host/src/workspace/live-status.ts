/** What a connection tells of its server, as a status has it. */
import type { ServerStatus } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import { relabel } from "../calls/relabel.ts";

type FromDefinition = "id" | "transport" | "source" | "enabled" | "hidden" | "target";

export function liveStatus(connection: Connection, id: string): Omit<ServerStatus, FromDefinition> {
  const { state, session, catalog, pid, lastConnectedAt, retryAt } = connection;
  const ready = state.phase === "ready" ? session : undefined;
  const { name, serverVersion } = ready?.facts ?? {};
  return {
    state: state.phase === "waiting" ? "connecting" : state.phase,
    tools: catalog.tools.length,
    ...(ready && { era: ready.era, version: ready.version }),
    ...(name !== undefined && { serverInfo: { name, version: serverVersion ?? "" } }),
    ...(ready && ready.passedOver > 0 && { passed_over: ready.passedOver }),
    ...(pid !== undefined && { pid }),
    ...("error" in state && state.error && { last_error: relabel(state.error, id).toJSON() }),
    ...(retryAt !== undefined && { retry_at: retryAt }),
    ...(state.restarts > 0 && { restarts: state.restarts }),
    ...(lastConnectedAt !== undefined && { last_connected_at: lastConnectedAt }),
    ...(catalog.dropped.length > 0 && { dropped_tools: catalog.dropped }),
  };
}
