/** Finds the files in which a client may have Plugboard's entry, and chooses the one to write it to. */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { HostError, toHostError } from "@plugboard/contracts";
import type { ClientScope, JsonObject } from "@plugboard/contracts";
import type { GatewayLink } from "../definition/gateway-link.ts";
import { readConfigFile } from "../files/read-config-file.ts";
import { isInsideFolder, realPathOrSelf } from "@plugboard/store";
import { parseOrEmpty, valueAt } from "./documents/edit-document.ts";
import type { Client, ClientFile, ClientPlaces } from "../clients/formats/client.ts";
import { joinPath } from "../clients/formats/client-folders.ts";
import { ENTRY_NAME, findGatewayEntries } from "./gateway-entry.ts";

export interface InspectedClientFile extends ClientFile {
  /** The file that is read and written: the target if the path is a symbolic link. */
  readonly realPath: string;
  /** Undefined if the file does not exist. */
  readonly text: string | undefined;
  readonly document: JsonObject;
  /** The keys that lead to the servers. */
  readonly serversPath: readonly string[];
  /** The entries that lead to Plugboard, by name. */
  readonly links: ReadonlyMap<string, GatewayLink>;
  /** The reason why the file can't be read. */
  readonly error?: HostError;
}

/** Reads the files of a client in all scopes. The home folder is no project. */
export async function inspectClientFiles(client: Client, places: ClientPlaces): Promise<InspectedClientFile[]> {
  const folder = await realPathOrSelf(places.project);
  const isProject = folder !== (await realPathOrSelf(places.home));
  const files = connectFiles(client, places).filter(({ scope }) => scope === "user" || isProject);
  return Promise.all(files.map((file) => inspectFile(client, file, folder)));
}

/** Prefers a file with an entry, then an existing file. Throws USAGE if the client has no file in the scope. */
export async function chooseClientFile(
  client: Client,
  scope: ClientScope,
  places: ClientPlaces,
): Promise<InspectedClientFile> {
  const files = (await inspectClientFiles(client, places)).filter((file) => file.scope === scope);
  const chosen =
    files.find(({ links }) => links.has(ENTRY_NAME)) ??
    // A later file has priority over an earlier one.
    files.findLast(({ text, error }) => text !== undefined || error) ??
    (await findFirst(files, ({ path }) => isFolder(dirname(path)))) ??
    preferredFile(client, files);
  if (chosen) return chosen;
  const message = connectFiles(client, places).some((file) => file.scope === scope)
    ? "Your home folder can't be a project. Change to another folder, or use --scope user"
    : `${client.label} has no file for projects; leave out --scope`;
  throw new HostError("USAGE", { message, omitHelp: true });
}

async function inspectFile(client: Client, file: ClientFile, project: string): Promise<InspectedClientFile> {
  const realPath = await realPathOrSelf(file.path);
  const empty = { ...file, realPath, text: undefined, document: {}, serversPath: client.serversPath, links: new Map() };
  try {
    // A project could contain a link to a file of the user.
    if (file.scope === "project" && !isInsideFolder(project, realPath)) {
      const reason = `it is a link to ${realPath}, outside of the project's folder`;
      throw new HostError("CONFIG_INVALID", { file: file.path, reason });
    }
    const text = await readConfigFile(realPath, { keepBom: true });
    if (text === undefined) return empty;
    const document = await parseOrEmpty(file.path, text, client.syntax);
    const serversPath = client.serversPathIn?.(document) ?? client.serversPath;
    return { ...empty, text, document, serversPath, links: findGatewayEntries(valueAt(document, serversPath)) };
  } catch (thrown) {
    return { ...empty, error: toHostError(thrown) };
  }
}

export function connectFiles(client: Client, places: ClientPlaces): readonly ClientFile[] {
  if (client.name !== "claude-code") return client.files(places);
  // The import does not list this file, because Plugboard reads it itself. Claude Code's settings contain no servers.
  const user = client.files(places).filter(({ scope }) => scope === "user");
  return [...user, { path: joinPath(places, places.project, ".mcp.json"), scope: "project" }];
}

/** Of several names, the documentation of opencode prefers the first one and that of Claude Desktop the last one. */
function preferredFile(client: Client, files: readonly InspectedClientFile[]): InspectedClientFile | undefined {
  return client.name === "opencode" ? files[0] : files.at(-1);
}

async function findFirst<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T | undefined> {
  for (const item of items) if (await test(item)) return item;
  return undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
