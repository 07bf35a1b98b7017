/** Reads the files that the user wants to import: those of one client, one file, or all that are found. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CLIENT_NAMES, HostError, toHostError, nearest } from "@plugboard/contracts";
import type { ClientName } from "@plugboard/contracts";
import type { ConfigScope } from "../files/find-scope-files.ts";
import { CLIENTS } from "../clients/client-table.ts";
import { findClientFiles } from "../clients/find-client-files.ts";
import type { FoundClientFile } from "../clients/find-client-files.ts";
import type { Client, ClientPlaces } from "../clients/formats/client.ts";
import { readClientFile } from "../clients/read-client-file.ts";
import type { ClientServers } from "../clients/read-client-file.ts";

/** A file of another client that can't be read. */
interface UnreadableFile extends Pick<ClientServers, "client" | "label" | "file"> {
  readonly reason: string;
}

interface ImportSource {
  readonly files: readonly ClientServers[];
  readonly unreadable: readonly UnreadableFile[];
}

/** Reads every file that is found, including files of projects. `scope` replaces the scope of every server. */
export async function readAllClients(places: ClientPlaces, scope?: ConfigScope): Promise<ImportSource> {
  const files: ClientServers[] = [];
  const unreadable: UnreadableFile[] = [];
  for (const found of await findClientFiles(places)) {
    try {
      files.push(...(await readFound([found], places, scope)));
    } catch (thrown) {
      const { name, label } = found.client;
      unreadable.push({ client: name, label, file: found.path, reason: toHostError(thrown).message });
    }
  }
  return { files, unreadable };
}

/** `source` is the name of a client or a path. `scope` replaces the scope of every server. */
export async function readImportSource(
  source: string,
  places: ClientPlaces,
  scope?: ConfigScope,
): Promise<readonly ClientServers[]> {
  const file = resolve(places.project, source);
  if (isClientName(source)) return readClient(CLIENTS[source], places, scope);
  if (!/[\\/.]/.test(source) && !(await exists(file))) {
    const suggestion = nearest(source, CLIENT_NAMES);
    const message = `There is no client or file called "${source}"`;
    throw new HostError("USAGE", { message, command: "import", ...(suggestion !== undefined && { suggestion }) });
  }
  if (scope === undefined && file === resolve(places.project, ".mcp.json")) {
    const message = "Plugboard reads the .mcp.json of a project itself, so there is nothing to import";
    throw new HostError("USAGE", { message, omitHelp: true });
  }
  const known = (await findClientFiles(places)).find(({ path }) => path === file);
  if (known) return readFound([known], places, scope);
  // The author of any other file may be unknown, so its servers need the user's approval.
  const servers = await readClientFile(file, { ...places, ...readScope("project", scope) });
  if (servers) return [servers];
  throw new HostError("CONFIG_INVALID", { file, reason: "the file does not exist" });
}

async function readClient(client: Client, places: ClientPlaces, scope?: ConfigScope): Promise<ClientServers[]> {
  const found = await findClientFiles(places, [client]);
  if (found.length > 0) return readFound(found, places, scope);
  const paths = client.files(places).map(({ path }) => path);
  throw new HostError("NOT_FOUND", { subject: `config file of ${client.label} (${paths.join(", ")})` });
}

async function readFound(
  found: readonly FoundClientFile[],
  places: ClientPlaces,
  scope?: ConfigScope,
): Promise<ClientServers[]> {
  const read = await Promise.all(
    found.map(({ path, client, scope: ownScope }) =>
      readClientFile(path, { ...places, client, ...readScope(ownScope, scope) }),
    ),
  );
  return read.filter((servers) => servers !== undefined);
}

function readScope(scope: ConfigScope, forced: ConfigScope | undefined) {
  return { scope: forced ?? scope, forceScope: forced !== undefined };
}

function isClientName(source: string): source is ClientName {
  return CLIENT_NAMES.some((name) => name === source);
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
