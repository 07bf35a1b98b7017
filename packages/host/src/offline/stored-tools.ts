/** Reads the names of a server's tools from its last catalog on disk. Starts nothing and fetches no secret. */
import { systemClock } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { resolveWithoutSecrets } from "@plugboard/config";
import type { ConfiguredServer, ServerDefinition } from "@plugboard/config";
import { stateFolder } from "@plugboard/store";
import { LoginManager } from "../auth/login-manager.ts";
import { LoginStore } from "../auth/vault/login-store.ts";
import { systemKeyring } from "../auth/vault/system-keyring.ts";
import { SAMPLING_WITH_TOOLS } from "../calls/sampling.ts";
import { CatalogFiles } from "../catalog/catalog-files.ts";
import { definitionKey } from "../pool/connection-pool.ts";
import { ClientCapabilities } from "../workspace/client-capabilities.ts";
import { WorkspaceRoots } from "../workspace/workspace-roots.ts";

interface CatalogPlace {
  readonly cwd: string;
  readonly env: Env;
}

/** The sampling of the hosts that commands use: with or without models of gateway clients. */
const HOST_SAMPLING = [SAMPLING_WITH_TOOLS, false] as const;

/** Returns undefined if no host has connected the server here before, or if its definition needs a secret. */
export async function readStoredTools(server: ConfiguredServer, place: CatalogPlace): Promise<string[] | undefined> {
  const { definition } = server;
  if ("invalid" in definition) return undefined;
  const files = new CatalogFiles(stateFolder(place.env), { onFailed: () => {} });
  const catalogs = catalogKeys(server, definition, place).flatMap((key) => files.catalog(key).get() ?? []);
  if (catalogs.length === 0) return undefined;
  return [...new Set(catalogs.flatMap(({ tools }) => tools.tools.map(({ name }) => name)))];
}

/** Returns the keys under which the hosts of this user store the catalog. */
function catalogKeys(server: ConfiguredServer, definition: ServerDefinition, { cwd, env }: CatalogPlace): string[] {
  const resolved = tryResolve(server, env);
  if (!resolved) return [];
  const { protocol } = definition;
  const login = loginKey(server, resolved, env);
  const roots = new WorkspaceRoots({ folder: cwd, emit: () => {} });
  return HOST_SAMPLING.map((byClients) => {
    const capabilities = new ClientCapabilities(roots, { byModel: SAMPLING_WITH_TOOLS, byClients });
    const { capabilitiesKey } = capabilities.forServer(server, resolved.roots);
    return definitionKey(resolved.target, capabilitiesKey, login, protocol === "auto" ? undefined : protocol);
  });
}

type Resolved = NonNullable<ReturnType<typeof tryResolve>>;

/** Reads no login, because its key depends only on the definition. */
function loginKey({ id, definition }: ConfiguredServer, resolved: Resolved, env: Env): string | undefined {
  const emit = () => {};
  const store = () => new LoginStore({ file: undefined, keyring: systemKeyring({ env }), emit });
  const logins = new LoginManager({ store, clock: systemClock, emit, watch: () => ({ stop: () => {} }) });
  const account = "account" in definition ? definition.account : undefined;
  return logins.credentialsFor({ server: id, ...resolved, account })?.key;
}

/** Returns undefined for a server that needs a secret, or that can't be resolved. */
function tryResolve(server: ConfiguredServer, env: Env) {
  try {
    return resolveWithoutSecrets(server, env);
  } catch {
    return undefined;
  }
}
