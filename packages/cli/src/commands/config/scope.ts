/** Finds the files that a command with `--scope` reads or changes. */
import { HostError, nearest } from "@plugboard/contracts";
import { filesWithEntry, inspectConfig } from "@plugboard/config/edit";
import { requireScopeFiles } from "@plugboard/config";
import { throwIfInvalid } from "@plugboard/host/config-commands";
import type { ConfigScope } from "@plugboard/config";
import type { InspectedFile } from "@plugboard/config/edit";
import type { CliContext } from "../../terminal/cli-context.ts";

export interface ScopedEntry {
  /** The file with the entry. If both files of a project have one, the file with the higher priority. */
  readonly file: InspectedFile;
  /** All files, for other definitions of the server. */
  readonly all: readonly InspectedFile[];
}

/** Finds the entry of a server in a scope. Throws if there is none; the error names the scopes that have one. */
export async function requireEntry(id: string, scope: ConfigScope, cli: CliContext): Promise<ScopedEntry> {
  const { cwd, env } = cli;
  await requireScopeFiles(scope, cwd, env);
  const all = await inspectConfig({ cwd, env });
  throwIfInvalid(all.filter(({ source }) => source === scope));
  const [file] = filesWithEntry(all, id, scope);
  if (file) return { file, all };
  throw missingEntryError(id, scope, all);
}

export function missingEntryError(id: string, scope: ConfigScope, all: readonly InspectedFile[]): HostError {
  const others = filesWithEntry(all, id);
  const [other] = others;
  if (!other) return unknownServerError(id, all);
  const where = `The ${scope} scope has no entry for "${id}", but ${other.file} has one`;
  const remedy =
    other.source === "managed"
      ? "only the administrator can change it"
      : `use --scope ${other.source} to change that one`;
  return new HostError("USAGE", { message: `${where}; ${remedy}`, omitHelp: true });
}

/** Makes SERVER_UNKNOWN with all configured ids, and the most similar one. */
export function unknownServerError(server: string, all: readonly InspectedFile[]): HostError {
  const entries = all.flatMap(({ layer }) => (layer ? [...layer.servers, ...layer.switches] : []));
  const known = [...new Set(entries.map(({ id }) => id))];
  const suggestion = nearest(server, known);
  return new HostError("SERVER_UNKNOWN", { server, known, ...(suggestion !== undefined && { suggestion }) });
}
