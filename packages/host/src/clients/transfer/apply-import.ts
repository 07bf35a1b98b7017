/** Writes planned servers to the config files, one after another. Each write is atomic. */
import { editConfig } from "../../config/edit/edit-config.ts";
import type { PlannedServer } from "./plan-import.ts";

/** Calls `onWritten` after each server. If a write fails, the servers that were written before stay. */
export async function applyImport(
  servers: readonly PlannedServer[],
  onWritten: (server: PlannedServer) => void,
): Promise<void> {
  for (const server of servers) {
    if (server.action !== "add" && server.action !== "replace") continue;
    const { target, id, entry, scope, definition, enabled } = server;
    const change = definition
      ? ({ type: "set_server", id, entry, mustBeNew: server.action === "add" } as const)
      : ({ type: "set_enabled", id, enabled } as const);
    await editConfig(target, change, scope);
    onWritten(server);
  }
}
