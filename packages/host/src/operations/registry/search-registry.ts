/** Searches an MCP registry for servers that can be added. */
import type { RegistrySearch, RegistrySearchOptions } from "@plugboard/contracts";
import { openRegistry } from "../../offline/open-registry.ts";
import type { RegistryPlace } from "../../offline/open-registry.ts";
import { describeRegistryServer } from "./describe-registry-server.ts";

export async function searchRegistry(
  words: readonly string[],
  { limit, registry, signal }: RegistrySearchOptions,
  place: RegistryPlace,
): Promise<RegistrySearch> {
  const client = await openRegistry(place, registry);
  const { servers, ...result } = await client.search(words, {
    ...(limit !== undefined && { limit }),
    ...(signal && { signal }),
  });
  const described = await Promise.all(servers.map((server) => describeRegistryServer(server)));
  return { registry: client.url, ...result, servers: described };
}
