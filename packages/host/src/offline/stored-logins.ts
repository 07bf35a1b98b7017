/** Reads the stored logins of servers by their ids. */
import type { Env, LoginStatus } from "@plugboard/contracts";
import { systemClock } from "@plugboard/contracts";
import { LoginManager } from "../auth/login-manager.ts";
import { LoginStore } from "../auth/vault/login-store.ts";
import { systemKeyring } from "../auth/vault/system-keyring.ts";
import type { ConfiguredServer } from "@plugboard/config";
import { openSharedState } from "./stored-trust.ts";
import { resolveWithoutSecrets } from "@plugboard/config";

export async function readStoredLogins(
  servers: readonly ConfiguredServer[],
  env: Env,
): Promise<ReadonlyMap<string, LoginStatus>> {
  const { loginFile: file } = await openSharedState(env);
  if (file === undefined) return new Map();
  const emit = () => {};
  const keyring = systemKeyring({ env, clock: systemClock });
  const store = new LoginStore({ file, keyring, emit });
  const logins = new LoginManager({ store: () => store, clock: systemClock, emit, watch: () => ({ stop: () => {} }) });
  const sources = servers.flatMap((server) => {
    const resolved = tryResolve(server, env);
    const { definition } = server;
    const account = "account" in definition ? definition.account : undefined;
    const source = resolved && logins.credentialsFor({ server: server.id, ...resolved, account });
    return source ? [{ id: server.id, source }] : [];
  });
  await logins.load();
  return new Map(
    sources.flatMap(({ id, source }) => {
      const status = source.status();
      return status ? [[id, status]] : [];
    }),
  );
}

/** Returns undefined for a server that needs a secret, or that can't be resolved. */
function tryResolve(server: ConfiguredServer, env: Env) {
  try {
    return resolveWithoutSecrets(server, env);
  } catch {
    return undefined;
  }
}
