/** Lists the clients with their files, and which of them are connected to Plugboard. Changes nothing. */
import { readdir } from "node:fs/promises";
import { posix, win32 } from "node:path";
import { CLIENT_NAMES } from "@plugboard/contracts";
import type { ClientFileInfo, ClientInfo, ClientName } from "@plugboard/contracts";
import { CLIENTS } from "../clients/client-table.ts";
import type { ClientPlaces } from "../clients/formats/client.ts";
import { joinPath } from "../clients/formats/client-folders.ts";
import { inspectClientFiles } from "./choose-client-file.ts";
import type { InspectedClientFile } from "./choose-client-file.ts";
import { CLIENT_TRAITS } from "./client-traits.ts";
import { findApp, findProgram } from "./find-program.ts";

export async function listClients(places: ClientPlaces): Promise<ClientInfo[]> {
  return Promise.all(CLIENT_NAMES.map((name) => inspectClient(name, places)));
}

async function inspectClient(name: ClientName, places: ClientPlaces): Promise<ClientInfo> {
  const client = CLIENTS[name];
  const { programs, apps } = CLIENT_TRAITS[name];
  const program = (await findProgram(programs, places)) ?? (await findApp(apps, places));
  const files = (await inspectClientFiles(client, places)).filter(({ text, error }) => text !== undefined || error);
  // A `.mcp.json` does not show that Claude Code is installed, because other clients read it, too.
  const ownFiles = files.filter(({ scope }) => scope === "user" || name !== "claude-code");
  return {
    client: name,
    label: client.label,
    installed: program !== undefined || ownFiles.length > 0 || (await hasConfigFolder(name, places)),
    ...(program !== undefined && { program }),
    files: files.map(toListed),
  };
}

/**
 * A client has a folder of its own before it has a file with servers. An empty folder does not count, because
 * `disconnect` may have left it.
 */
async function hasConfigFolder(name: ClientName, places: ClientPlaces): Promise<boolean> {
  const path = places.platform === "win32" ? win32 : posix;
  const userFiles = CLIENTS[name].files(places).filter(({ scope }) => scope === "user");
  const folders = new Set(userFiles.map((file) => path.dirname(file.path)));
  // The file of Claude Code is in the home folder itself.
  if (folders.delete(places.home)) folders.add(joinPath(places, places.home, ".claude"));
  const contents = await Promise.all([...folders].map((folder) => readdir(folder).catch(() => [])));
  return contents.some((names) => names.length > 0);
}

function toListed({ path, scope, links, error }: InspectedClientFile): ClientFileInfo {
  const connections = [...links].map(([name, link]) => ({ name, ...link }));
  return { file: path, scope, connections, ...(error && { error: error.message }) };
}
