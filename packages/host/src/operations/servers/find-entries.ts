/** Finds the entries of a server in config files, and makes the errors for a server without an entry. */
import { EDITABLE_SCOPES, HostError, nearest } from "@plugboard/contracts";
import type { EditableScope } from "@plugboard/contracts";
import { requireScopeFiles } from "@plugboard/config";
import { filesWithEntry, inspectConfig } from "@plugboard/config/edit";
import type { InspectedFile } from "@plugboard/config/edit";
import type { OperationsPlace } from "../operations-context.ts";

export type EditableFile = InspectedFile & { readonly source: EditableScope };

export function isEditable(file: InspectedFile): file is EditableFile {
  return EDITABLE_SCOPES.some((scope) => scope === file.source);
}

export interface ScopedEntries {
  /** The files of the scope with an entry, from highest to lowest priority. */
  readonly files: readonly [InspectedFile, ...InspectedFile[]];
  /** All files, for other definitions of the server. */
  readonly all: readonly InspectedFile[];
}

/** Throws if the scope has no entry for the server. The error names a scope that has an entry. */
export async function requireEntries(id: string, scope: EditableScope, place: OperationsPlace): Promise<ScopedEntries> {
  await requireScopeFiles(scope, place.cwd, place.env);
  const all = await inspectConfig(place);
  throwIfInvalid(all.filter(({ source }) => source === scope));
  const [first, ...others] = filesWithEntry(all, id, scope);
  if (!first) throw missingEntryError(id, scope, all);
  return { files: [first, ...others], all };
}

/** Without a scope, the error is about all scopes. */
export function missingEntryError(
  id: string,
  scope: EditableScope | undefined,
  all: readonly InspectedFile[],
): HostError {
  const [other] = filesWithEntry(all, id);
  if (!other) return unknownServerError(id, all);
  const here = scope === undefined ? "None of your files has an" : `The ${scope} scope has no`;
  const where = `${here} entry for "${id}", but ${other.file} has one`;
  return new HostError("USAGE", { message: `${where}; ${remedyFor(other)}`, omitHelp: true });
}

function remedyFor({ source, file }: InspectedFile): string {
  if (source === "managed") return "only the administrator can change it";
  return source === "invocation" ? `edit ${file}` : `use --scope ${source} to change that one`;
}

/** Makes the error SERVER_UNKNOWN with all configured ids, and suggests the most similar id. */
export function unknownServerError(server: string, all: readonly InspectedFile[]): HostError {
  const entries = all.flatMap(({ layer }) => (layer ? [...layer.servers, ...layer.switches] : []));
  const known = [...new Set(entries.map(({ id }) => id))];
  const suggestion = nearest(server, known);
  return new HostError("SERVER_UNKNOWN", { server, known, ...(suggestion !== undefined && { suggestion }) });
}

/** Throws the error of the first invalid file. */
export function throwIfInvalid(files: readonly InspectedFile[]): void {
  for (const { error } of files) if (error) throw error;
}
