import type { Env } from "@plugboard/contracts";
import type { RegistryClient } from "@plugboard/config/registry";

export interface RegistryPlace {
  readonly env: Env;
  /** Whether a registry other than that of the environment must have a public address. */
  readonly publicRegistriesOnly?: boolean;
}

/**
 * Opens the MCP registry at this URL, by default that of PLUGBOARD_REGISTRY_URL or the official one. Its requests reach no
 * private address unless the registry has one, and the place allows that. Throws USAGE if the URL is not valid.
 */
export async function openRegistry(
  { env, publicRegistriesOnly = false }: RegistryPlace,
  url?: string,
): Promise<RegistryClient> {
  const { OFFICIAL_REGISTRY, parseRegistryUrl, RegistryClient: Client } = await import("@plugboard/config/registry");
  const configured = env["PLUGBOARD_REGISTRY_URL"] || undefined;
  return new Client(async (registry, errors) => {
    const { createGuardedFetch } = await import("@plugboard/mcp/oauth");
    const isConfigured = () => configured !== undefined && parseRegistryUrl(configured) === registry;
    // The guard allows addresses of the kind that this URL has.
    const like = publicRegistriesOnly && !isConfigured() ? OFFICIAL_REGISTRY : registry;
    return createGuardedFetch({ server: registry, url: like, errors, sameOriginOnly: true });
  }, url ?? configured);
}
