/** Plans the changes that disconnect all clients from Plugboard. Writes nothing. */
import { stateFolder } from "@plugboard/store";
import type { FoundConnection, ConnectionRecords } from "@plugboard/config/clients";
import { writeClientChange } from "../clients/client-connections.ts";
import { clientPlaces } from "../clients/client-places.ts";
import type { OperationsPlace } from "../operations-context.ts";
import type { PurgeStep } from "./purge-step.ts";

interface Disconnections {
  readonly steps: readonly PurgeStep[];
  /** Messages about entries that the user has to remove. */
  readonly notes: readonly string[];
}

export async function planDisconnections(place: OperationsPlace, now: () => number): Promise<Disconnections> {
  const clientFiles = await import("@plugboard/config/clients");
  const places = clientPlaces(place);
  const records = new clientFiles.ConnectionRecords(stateFolder(place.env));
  // If the records can't be read, each step fails with the reason.
  const stored = await records.list().catch(() => []);
  const connections = await clientFiles.findConnections(places, stored);
  const steps = await Promise.all(connections.map((connection) => planOne(connection, records, place, now)));
  const clients = await clientFiles.listClients(places);
  const isPlanned = (path: string) => connections.some(({ file }) => file === path);
  const notes = clients.flatMap(({ files }) =>
    files.flatMap(({ file, connections: entries, error }) => [
      ...entries.filter(({ name }) => name !== "plugboard").map(({ name }) => ownEntryNote(name, file)),
      ...(error === undefined || isPlanned(file) ? [] : [`This file may still lead to Plugboard: ${error}`]),
    ]),
  );
  return { steps, notes };
}

function ownEntryNote(name: string, file: string): string {
  return `"${name}" in ${file} leads to Plugboard, too. You have added it yourself, so it stays. Remove it by hand.`;
}

/** If the file can't be changed, returns a step that fails with the reason, so that the other steps still run. */
async function planOne(
  { client, label, scope, file, places }: FoundConnection,
  records: ConnectionRecords,
  { env }: OperationsPlace,
  now: () => number,
): Promise<PurgeStep> {
  const { planDisconnect } = await import("@plugboard/config/clients");
  try {
    const change = await planDisconnect(client, { scope, restore: false, file }, places, records);
    const how = change.after === undefined ? `delete ${file}, which Plugboard has created` : `restore ${file}`;
    return {
      kind: "disconnect",
      text: `disconnect ${label}: ${how}`,
      diff: change.diff,
      run: async () => void (await writeClientChange({ change, token: "none" }, env, now())),
    };
  } catch (thrown) {
    return { kind: "disconnect", text: `disconnect ${label}: restore ${file}`, run: () => Promise.reject(thrown) };
  }
}
