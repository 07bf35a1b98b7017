/** Finds the files of other clients on this machine. */
import { stat } from "node:fs/promises";
import { realPathOrSelf } from "@plugboard/store";
import { CLIENTS } from "./client-table.ts";
import type { Client, ClientFile, ClientPlaces } from "./formats/client.ts";

export interface FoundClientFile extends ClientFile {
  readonly client: Client;
}

/** Returns the existing files of the given clients. Ignores project files if the project is the home folder. */
export async function findClientFiles(
  places: ClientPlaces,
  clients: readonly Client[] = Object.values(CLIENTS),
): Promise<FoundClientFile[]> {
  const isProject = (await realPathOrSelf(places.project)) !== (await realPathOrSelf(places.home));
  const candidates = clients
    .flatMap((client) => client.files(places).map((file) => ({ ...file, client })))
    .filter(({ scope }) => scope === "user" || isProject);
  const exist = await Promise.all(candidates.map(({ path }) => exists(path)));
  return candidates.filter((_, index) => exist[index]);
}

/** Also returns true if the file is not accessible. Reading it later reports the error. */
async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
  );
}
