/** Removes the entries of servers from the files of a scope. Entries of other scopes stay. */
import { HostError } from "@plugboard/contracts";
import type { EditableScope, RemovedServer } from "@plugboard/contracts";
import { editConfig, filesWithEntry, inspectConfig } from "@plugboard/config/edit";
import type { InspectedFile } from "@plugboard/config/edit";
import type { OperationsPlace } from "../operations-context.ts";
import { isEditable, missingEntryError, requireEntries, throwIfInvalid } from "./find-entries.ts";

interface ServerToRemove {
  readonly id: string;
  readonly scope: EditableScope;
  /** The files of the scope that have an entry for the server. */
  readonly files: readonly InspectedFile[];
  /** The files of all scopes. */
  readonly all: readonly InspectedFile[];
}

/** Finds all servers before it removes the first, so that a wrong id changes nothing. */
export async function removeServers(
  ids: readonly string[],
  scope: EditableScope | undefined,
  place: OperationsPlace,
): Promise<RemovedServer[]> {
  const servers: ServerToRemove[] = [];
  for (const id of new Set(ids)) {
    const found = scope ?? (await findScope(id, place));
    servers.push({ id, scope: found, ...(await requireEntries(id, found, place)) });
  }
  const removed: RemovedServer[] = [];
  for (const server of servers) removed.push(await removeServer(server));
  return removed;
}

/** Returns the project scope if it has the server. Otherwise returns the only scope that has it, or throws USAGE. */
async function findScope(id: string, place: OperationsPlace): Promise<EditableScope> {
  const all = await inspectConfig(place);
  const editable = all.filter(isEditable);
  // An invalid file may also have an entry for the server, so nothing is removed then.
  throwIfInvalid(editable);
  const found = filesWithEntry(editable, id).filter(isEditable);
  const scopes = [...new Set(found.map(({ source }) => source))];
  const [only, ...others] = scopes;
  if (only === undefined) throw missingEntryError(id, undefined, all);
  if (scopes.includes("project")) return "project";
  if (others.length === 0) return only;
  const places = found.map(({ source, file }) => `${file} (${source})`).join(" and ");
  const options = scopes.map((one) => `--scope ${one}`).join(" or ");
  throw new HostError("USAGE", { message: `"${id}" is in ${places}. Choose one with ${options}`, omitHelp: true });
}

/** Also finds a file of another scope that still defines the server, because that definition applies from now on. */
async function removeServer({ id, scope, files: found, all }: ServerToRemove): Promise<RemovedServer> {
  for (const { file } of found) await editConfig(file, { type: "remove_server", id }, scope);
  const files = found.map(({ file }) => file);
  const remaining = filesWithEntry(all, id).find(
    ({ file, layer }) => !files.includes(file) && layer?.servers.some((server) => server.id === id),
  );
  const stillDefinedIn = remaining && { source: remaining.source, file: remaining.file };
  return { id, scope, files, ...(stillDefinedIn && { stillDefinedIn }) };
}
