/** Writes planned servers to the config files, and their secrets to the secret store, one after another. */
import { editConfig } from "../edit/edit-config.ts";
import type { PlannedServer } from "./plan-import.ts";

export interface ApplyImportOptions {
  readonly storeSecret: (name: string, value: string) => Promise<void>;
  /** Called after each server. */
  readonly onWritten: (server: PlannedServer) => void;
}

/**
 * Each write is atomic. If one fails, the servers that were written before stay. Throws SERVER_EXISTS or
 * DEFINITION_CHANGED if the config file has another entry than when the import was planned.
 */
export async function applyImport(
  servers: readonly PlannedServer[],
  { storeSecret, onWritten }: ApplyImportOptions,
): Promise<void> {
  for (const server of servers) {
    if (server.action !== "add" && server.action !== "replace") continue;
    const { target, id, entry, before, scope, definition, enabled, secrets } = server;
    const change = definition
      ? ({ type: "set_server", id, entry, mustBeNew: server.action === "add", expected: { before } } as const)
      : ({ type: "set_enabled", id, enabled } as const);
    // The secrets come first: a definition must not refer to a secret that could not be stored.
    const beforeWrite = async () => {
      for (const { name, value } of secrets) await storeSecret(name, value);
    };
    await editConfig(target, change, scope, { beforeWrite });
    onWritten(server);
  }
}
