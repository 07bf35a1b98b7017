/** Reads one server of a registry by its name. If there is none, the error suggests a similar name. */
import { HostError, isHostError, nearest } from "@plugboard/contracts";
import type { RegistryHit, RegistryServerOptions } from "@plugboard/contracts";
import type { RegistryClient, RegistryServer } from "@plugboard/config/registry";
import { openRegistry } from "../../offline/open-registry.ts";
import { describeRegistryServer } from "./describe-registry-server.ts";
import { checkGivenValues } from "./fill-registry-choice.ts";
import type { RegistryCaller } from "./shown-servers.ts";

/** Throws NOT_FOUND if there is no such server. */
export async function readRegistryServer(
  name: string,
  options: RegistryServerOptions,
  { owner, place, shown }: RegistryCaller,
): Promise<RegistryHit> {
  const { registry, version, given, signal } = options;
  if (given !== undefined) checkGivenValues(given);
  const client = await openRegistry(place, registry);
  const server = await findServer(client, name, version, signal);
  shown.set(owner, { registry: client.url, server });
  return describeRegistryServer(server, options);
}

async function findServer(
  client: RegistryClient,
  name: string,
  version: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RegistryServer> {
  try {
    return await client.get(name, version, signal);
  } catch (error) {
    if (!isHostError(error) || error.code !== "NOT_FOUND") throw error;
    const suggestion = await suggestName(client, name, signal).catch((failure: unknown) => {
      if (signal?.aborted) throw failure;
      return undefined; // Only the search for a suggestion failed. The error stays that the server is unknown.
    });
    if (suggestion === undefined) throw error;
    throw new HostError("NOT_FOUND", { ...error.details, suggestion }, { cause: error });
  }
}

/** Suggests a server with the same last part of the name, or else with a similar name. */
async function suggestName(
  client: RegistryClient,
  name: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const last = name.slice(name.indexOf("/") + 1);
  // Searches for the first half, because a typo is usually at the end.
  const words = [last.slice(0, Math.max(3, last.length / 2))];
  const { servers } = await client.search(words, { limit: 50, ...(signal && { signal }) });
  const names = servers.map((server) => server.name).filter((other) => other !== name);
  return names.find((other) => other.endsWith(`/${last}`)) ?? nearest(name, names);
}
