/** Writes the servers of a workspace as the text of another client's config file. */
import { resolve } from "node:path";
import type { ClientName, ExportedServers, ServerEntry } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import { unmaskedEntry } from "../redaction/redacted-entry.ts";
import { CLIENTS } from "../clients/client-table.ts";
import { writeClientText } from "../clients/write-client-text.ts";
import type { WriteClientTextOptions } from "../clients/write-client-text.ts";

export async function writeExport(
  client: ClientName,
  servers: Iterable<ConfiguredServer>,
  options: WriteClientTextOptions,
): Promise<ExportedServers> {
  const entries = new Map<string, ServerEntry>();
  const invalid: ExportedServers["skipped"][number][] = [];
  for (const { id, folder, definition } of servers) {
    if ("invalid" in definition) invalid.push({ id, reason: definition.invalid });
    else entries.set(id, toEntry(definition, folder));
  }
  const written = await writeClientText(CLIENTS[client], entries, options);
  return { ...written, skipped: [...invalid, ...written.skipped] };
}

/** Makes a relative working folder absolute, because another client has another base. */
function toEntry(definition: ServerDefinition, folder: string): ServerEntry {
  const entry: ServerEntry = unmaskedEntry(definition);
  const { cwd } = entry;
  return cwd === undefined || cwd.startsWith("${") ? entry : { ...entry, cwd: resolve(folder, cwd) };
}
