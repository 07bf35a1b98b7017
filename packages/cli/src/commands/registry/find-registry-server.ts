/** Finds a server in a registry by name. If there is none, the error suggests a similar name. */
import { HostError, isHostError, nearest } from "@plugboard/contracts";
import type { RegistryClient, RegistryServer } from "@plugboard/config/registry";

/** `name` may end with `@version`. Throws NOT_FOUND if there is no such server. */
export async function findRegistryServer(
  client: RegistryClient,
  name: string,
  signal: AbortSignal,
): Promise<RegistryServer> {
  const [serverName = "", version] = name.split("@", 2);
  try {
    return await client.get(serverName, version, signal);
  } catch (error) {
    if (!isHostError(error) || error.code !== "NOT_FOUND") throw error;
    const suggestion = await suggestName(client, serverName, signal).catch((failure: unknown) => {
      if (signal.aborted) throw failure;
      return undefined; // The registry failed only to search. The server is unknown all the same.
    });
    if (suggestion === undefined) throw error;
    throw new HostError("NOT_FOUND", { ...error.details, suggestion }, { cause: error });
  }
}

/** Suggests a server with the same last part of the name, or else with a similar name. */
async function suggestName(client: RegistryClient, name: string, signal: AbortSignal): Promise<string | undefined> {
  const last = name.slice(name.indexOf("/") + 1);
  // Searches for the first half, because a typo is usually at the end.
  const { servers } = await client.search([last.slice(0, Math.max(3, last.length / 2))], { limit: 50, signal });
  const names = servers.map((server) => server.name).filter((other) => other !== name);
  return names.find((other) => other.endsWith(`/${last}`)) ?? nearest(name, names);
}
