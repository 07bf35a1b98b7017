/** Exports the servers of a workspace as text for the config file of another client. Writes no file. */
import type { ClientName, ExportedServers, ExportServersOptions } from "@plugboard/contracts";
import { readStaticConfig } from "../../offline/read-static-config.ts";
import type { OperationsPlace } from "../operations-context.ts";
import { selectIds } from "./select-ids.ts";

/** Starts nothing. Leaves out servers that wait for the user's approval. */
export async function exportServers(
  client: ClientName,
  { only, showSecrets = false, servers: further }: ExportServersOptions,
  { cwd, env, configFiles }: OperationsPlace,
): Promise<ExportedServers> {
  const { config } = await readStaticConfig({ env }, { cwd, configFiles, ...(further && { servers: further }) });
  const { servers, pending } = config;
  const ids = only && selectIds(only, [...servers.keys()], "export");
  const selected = [...servers.values()].filter(({ id }) => ids?.has(id) ?? true);
  const { writeExport } = await import("@plugboard/config/clients");
  const { text, servers: exported, skipped } = await writeExport(client, selected, { showSecrets });
  const waiting = new Set(pending.map(({ id }) => id).filter((id) => !ids && !servers.has(id)));
  const pendingServers = [...waiting].map((id) => ({ id, reason: "it waits for your approval" }));
  return { text, servers: exported, skipped: [...skipped, ...pendingServers] };
}
