/**
 * Finds every file in which Plugboard has its entry: the files of the user and of the current project, and those of
 * other projects that `plugboard connect` has changed. Changes nothing.
 */
import { dirname } from "node:path";
import type { ClientName, ClientPlan, HostError } from "@plugboard/contracts";
import { CLIENTS } from "../clients/client-table.ts";
import type { ClientPlaces } from "../clients/formats/client.ts";
import { connectFiles, inspectClientFiles } from "./choose-client-file.ts";
import type { ConnectionRecord } from "./connection-records.ts";
import { ENTRY_NAME } from "./gateway-entry.ts";

export interface FoundConnection extends Pick<ClientPlan, "client" | "label" | "scope" | "file"> {
  /** The places to search, with the project of this file. */
  readonly places: ClientPlaces;
  /** The reason why a file that Plugboard has changed can't be read. */
  readonly error?: HostError;
}

export async function findConnections(
  places: ClientPlaces,
  records: readonly ConnectionRecord[],
): Promise<readonly FoundConnection[]> {
  const searched = [
    ...(Object.keys(CLIENTS) as ClientName[]).map((client) => ({ client, places })),
    ...records.flatMap((record) => projectOf(record, places)),
  ];
  const found = await Promise.all(searched.map((each) => inspect(each.client, each.places, records)));
  const byRealPath = new Map(found.flat().map(({ realPath, ...connection }) => [realPath, connection]));
  return [...byRealPath.values()];
}

async function inspect(client: ClientName, places: ClientPlaces, records: readonly ConnectionRecord[]) {
  const { label } = CLIENTS[client];
  const files = await inspectClientFiles(CLIENTS[client], places);
  return files
    .filter(({ realPath, links, error }) =>
      error ? records.some(({ file }) => file === realPath) : links.has(ENTRY_NAME),
    )
    .map(({ scope, path: file, realPath, error }) => ({
      client,
      label,
      scope,
      file,
      realPath,
      places,
      ...(error && { error }),
    }));
}

/** Returns the client and the project of a recorded file, unless it is a file of the user. */
function projectOf({ client, file }: ConnectionRecord, places: ClientPlaces) {
  for (let project = dirname(file); project !== dirname(project); project = dirname(project)) {
    const inProject = { ...places, project };
    const files = connectFiles(CLIENTS[client], inProject);
    if (files.some(({ scope, path }) => scope === "project" && path === file)) return [{ client, places: inProject }];
  }
  return [];
}
