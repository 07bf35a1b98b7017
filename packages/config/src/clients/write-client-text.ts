/** Writes servers as the text of another client's config file. */
import type { ExportedServers, JsonObject, ServerEntry } from "@plugboard/contracts";
import type { Client } from "./formats/client.ts";
import { EntryWriter } from "./entry/entry-writer.ts";
import { formatDocument } from "./syntax/format-document.ts";

export interface WriteClientTextOptions {
  /** If false, secrets in plain text are replaced with placeholders. */
  readonly showSecrets: boolean;
}

/** Expects entries with a transport, in Plugboard's own spelling. */
export async function writeClientText(
  client: Client,
  entries: ReadonlyMap<string, ServerEntry>,
  { showSecrets }: WriteClientTextOptions,
): Promise<ExportedServers> {
  const written: JsonObject = {};
  const servers: ExportedServers["servers"][number][] = [];
  const skipped: ExportedServers["skipped"][number][] = [];
  const inputs = new Set<string>();
  const disabled: string[] = [];
  for (const [id, entry] of entries) {
    const writer = new EntryWriter(entry, { label: client.label, dialect: client.dialect, showSecrets });
    const foreign = client.write(entry, writer);
    if (!foreign) {
      skipped.push({ id, reason: reasonFor(entry, client) });
      continue;
    }
    written[id] = foreign;
    servers.push({ id, notes: [...new Set(writer.finish())] });
    for (const input of writer.inputs) inputs.add(input);
    if (entry.enabled === false) disabled.push(id);
  }
  const document = client.document(written, { disabled, inputs: [...inputs] });
  return { text: await formatDocument(document, client.syntax), servers, skipped };
}

/** Returns why the client can't use the server. Tries the entry without `enabled: false`, to find the reason. */
function reasonFor(entry: ServerEntry, client: Client): string {
  if (entry.enabled !== false) return `${client.label} can't use ${entry.transport} servers`;
  const { enabled: _, ...enabledEntry } = entry;
  const probe = new EntryWriter(enabledEntry, { label: client.label, dialect: client.dialect, showSecrets: false });
  return client.write(enabledEntry, probe)
    ? `it is disabled, and the file of ${client.label} can't say so`
    : `${client.label} can't use ${entry.transport} servers`;
}
