/** Names the servers that a client starts itself, although it gets the same from Plugboard. */
import type { ClientName } from "@plugboard/contracts";
import { clientPlaces } from "./client-places.ts";
import type { OperationsPlace } from "./operations-context.ts";

/** Returns a sentence for each file of the client that has such servers. */
export async function copyNotes(client: ClientName, place: OperationsPlace): Promise<string[]> {
  const { readAllClients, planImport } = await import("@plugboard/config/clients");
  const { files } = await readAllClients(clientPlaces(place));
  const own = files.filter((file) => file.client === client);
  // An invalid config file of Plugboard can't be compared, and is no reason not to connect the client.
  const compared = await planImport(own, { ...place, replace: false }).catch(() => []);
  return compared.flatMap(({ label, file, servers }) => {
    const ids = servers.filter(({ action }) => action === "none").map(({ id }) => id);
    if (ids.length === 0) return [];
    const them = ids.length === 1 ? "it" : "them";
    return `${label} still starts its own ${ids.join(", ")}. Remove ${them} from ${file}, because Plugboard offers the same.`;
  });
}
