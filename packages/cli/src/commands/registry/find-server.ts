/** Finds a server of a registry by its name, and suggests the name of another one if there is none. */
import { HostError, isHostError } from "@plugboard/contracts";
import { nearest } from "@plugboard/host/internal";
import type { RegistryClient, RegistryServer } from "@plugboard/host/internal";

/** `name` may end with `@version`. Throws NOT_FOUND if there is no such server. */
export async function findServer(client: RegistryClient, name: string, signal: AbortSignal): Promise<RegistryServer> {
  const [serverName = "", version] = name.split("@", 2);
  try {
    return await client.get(serverName, version, signal);
  } catch (error) {
    if (!isHostError(error) || error.code !== "NOT_FOUND") throw error;
    const suggestion = await suggestName(client, serverName, signal);
    throw suggestion === undefined ? error : new HostError("NOT_FOUND", { ...error.details, suggestion });
  }
}

/** The user may have typed only the last part of the name, or made a mistake at its end. */
async function suggestName(client: RegistryClient, name: string, signal: AbortSignal): Promise<string | undefined> {
  const last = name.slice(name.indexOf("/") + 1);
  // Searches for the first half, because a typo is usually at the end.
  const { servers } = await client.search([last.slice(0, Math.max(3, last.length / 2))], { limit: 50, signal });
  const names = servers.map((server) => server.name).filter((other) => other !== name);
  return names.find((other) => other.endsWith(`/${last}`)) ?? nearest(name, names);
}
