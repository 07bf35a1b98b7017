/** Converts an import to the JSON that `plugboard import --json` prints. Contains no secrets. */
import type { ImportableServer, ImportFile } from "@plugboard/contracts";

/** `imported` has the keys of the servers that were written. */
export function toImportJson(files: readonly ImportFile[], imported: readonly string[]): object {
  return {
    files: files.map(({ client, file, servers, skipped, error }) =>
      error === undefined
        ? { client, file, servers: servers.map((server) => toServerJson(server, imported)), skipped }
        : { client, file, error },
    ),
  };
}

function toServerJson(server: ImportableServer, imported: readonly string[]): object {
  const { id, scope, enabled, action, target, runs, entry, notes } = server;
  const secrets = server.secrets.map(({ key, name }) => ({ key, name }));
  const isImported = imported.includes(server.key);
  return { id, scope, enabled, action, imported: isImported, target, runs, entry, secrets, notes };
}
