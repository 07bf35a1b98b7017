/** Converts an import to the JSON that `plugboard import --json` prints. Contains no secrets. */
import type { PlannedFile, PlannedServer, UnreadableFile } from "@plugboard/config/clients";

interface ImportOutcome {
  readonly unreadable: readonly UnreadableFile[];
  readonly imported: readonly PlannedServer[];
}

export function toImportJson(files: readonly PlannedFile[], { unreadable, imported }: ImportOutcome): object {
  const read = files.map(({ client, file, servers, skipped }) => ({
    client,
    file,
    servers: servers.map((server) => toServerJson(server, imported)),
    skipped,
  }));
  return { files: [...read, ...unreadable.map(({ client, file, reason }) => ({ client, file, error: reason }))] };
}

function toServerJson(server: PlannedServer, imported: readonly PlannedServer[]): object {
  const { id, scope, enabled, action, target, runs, masked, notes } = server;
  const secrets = server.secrets.map(({ key, name }) => ({ key, name }));
  const isImported = imported.includes(server);
  return { id, scope, enabled, action, imported: isImported, target, runs, entry: masked, secrets, notes };
}
