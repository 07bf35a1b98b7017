import type { Env } from "@plugboard/contracts";
import type { RegistryClient } from "@plugboard/config/registry";

/**
 * Opens the MCP registry at this URL, by default that of PLUGBOARD_REGISTRY_URL or the official one. Its requests reach no
 * private address unless the registry has one. Throws USAGE if the URL is not valid.
 */
export async function openRegistry(env: Env, url?: string): Promise<RegistryClient> {
  const { RegistryClient: Client } = await import("@plugboard/config/registry");
  return new Client(
    async (registry, errors) => {
      const { createGuardedFetch } = await import("@plugboard/mcp/oauth");
      return createGuardedFetch({ server: registry, url: registry, errors, sameOriginOnly: true });
    },
    url ?? (env["PLUGBOARD_REGISTRY_URL"] || undefined),
  );
}
