/** Renders the servers of other clients: which files there are, what an import would do, and what it has done. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ImportableServer, ImportFile } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { renderTable } from "../render-table.ts";

const ACTIONS: { readonly [Action in ImportableServer["action"]]: string } = {
  add: "add",
  replace: "replace",
  conflict: "differs",
  none: "already there",
};

const NO_SERVERS =
  'The file defines no servers. A file that names no client must have them in "mcpServers", "servers" or "mcp.servers".\n';

/** Shows one row for each file. */
export function renderClientFiles(files: readonly ImportFile[]): Text {
  if (files.length === 0) return "No other client has a config file here.\n";
  const rows = files.map(({ client, servers, skipped, file, error }) => {
    if (error !== undefined) return [client, "–", "–", "–", error];
    const added = servers.filter(({ action }) => action === "add");
    return [client, ...[servers, added, skipped].map(({ length }) => String(length)), file];
  });
  return [
    renderTable(["CLIENT", "SERVERS", "NEW", "SKIPPED", "FILE"], rows),
    "\nTo import from one of them, run: plugboard import <client>\nTo import from all of them, run: plugboard import --all\n",
  ];
}

/** Shows what an import would do with each server of each file. */
export function renderImportPlan(files: readonly ImportFile[]): Text {
  return files.flatMap((file, index) => [index === 0 ? "" : "\n", renderFile(file)]);
}

function renderFile({ client, label, file, servers, skipped, error }: ImportFile): Text {
  const rows = servers.map(({ id, scope, action, enabled, runs }) => [
    ACTIONS[action],
    id,
    scope,
    enabled ? "yes" : "no",
    runs ?? "(only disables the server)",
  ]);
  const skippedRows = skipped.map(({ name, reason }) => ["skip", name, "–", "–", reason]);
  const heading = styled("bold", `${client === "other" ? "" : `${label}: `}${sanitizeLine(file)}`);
  if (error !== undefined) return [heading, "\n\n", `${sanitizeLine(error)}\n`];
  if (rows.length + skippedRows.length === 0) return [heading, "\n\n", NO_SERVERS];
  return [
    heading,
    "\n\n",
    renderTable(["ACTION", "SERVER", "SCOPE", "ENABLED", "RUNS"], [...rows, ...skippedRows]),
    renderNotes(servers),
  ];
}

/** Shows no notes about servers that the config has already. */
function renderNotes(servers: readonly ImportableServer[]): Text {
  return servers.flatMap((server) => {
    const notes =
      server.action === "none" ? [] : [...receivedValues(server), ...storedSecrets(server), ...server.notes];
    return notes.length === 0 ? [] : [`\n${server.id}:\n`, ...notes.map((note) => `  ${sanitizeLine(note)}\n`)];
  });
}

/** Names the variables and headers that a server gets. Their values may be secrets. */
function receivedValues({ entry }: ImportableServer): string[] {
  return (["env", "headers"] as const).flatMap((key) => {
    const names = Object.keys(entry[key] ?? {});
    return names.length === 0 ? [] : [`${key}: ${names.join(", ")}`];
  });
}

function storedSecrets({ secrets }: ImportableServer): string[] {
  return secrets.map(({ key, name }) => `${key} will be stored as the secret ${name}`);
}

/** Says what was written, and what the user has to do. `keys` are those of the servers that were written. */
export function renderImportResult(
  servers: readonly ImportableServer[],
  keys: readonly string[],
  { dryRun }: { readonly dryRun: boolean },
): Text {
  const imported = servers.filter(({ key }) => keys.includes(key));
  const targets = [...new Set(imported.map(({ target }) => target))];
  const conflicts = servers.filter(({ action }) => action === "conflict").map(({ id }) => id);
  const untrusted = imported.filter(({ scope, enabled }) => scope !== "user" && enabled).map(({ id }) => id);
  return [
    dryRun ? "\nNothing was imported, because of --dry-run.\n" : "",
    !dryRun && imported.length === 0 ? "\nNothing was imported.\n" : "",
    ...targets.map((target) => {
      const ids = imported.filter((server) => server.target === target).map(({ id }) => id);
      return `\nWrote ${ids.join(", ")} to ${sanitizeLine(target)}.\n`;
    }),
    conflicts.length === 0
      ? ""
      : `Not imported, because your config defines them differently: ${conflicts.join(", ")}. Use --replace to replace them.\n`,
    untrusted.length === 0 ? "" : "Before these servers run, they need your approval: plugboard trust\n",
  ];
}
