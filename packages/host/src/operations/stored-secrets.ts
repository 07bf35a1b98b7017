/** Lists, sets and removes the secrets of the user, through the running host or, without one, in the store itself. */
import { systemClock } from "@plugboard/contracts";
import type { WorkspaceSecrets, Env } from "@plugboard/contracts";
import type { ConfiguredServer } from "@plugboard/config";
import type { Host } from "../core/host.ts";
import { secretAccess } from "../workspace/secret-access.ts";
import type { SecretSource } from "../workspace/secret-access.ts";
import { effectiveConfig } from "./config/effective-config.ts";
import type { OperationsPlace } from "./operations-context.ts";
import { systemKeyring } from "../auth/vault/system-keyring.ts";
import { HostVault } from "../core/host-vault.ts";
import { openSharedState } from "../offline/stored-trust.ts";

/** Opens the store on first use, because most commands never need it. `running` is absent if no host runs. */
export function storedSecrets(
  place: OperationsPlace,
  running: Pick<Host, "openSecrets"> | undefined,
): WorkspaceSecrets {
  let opened: Promise<SecretSource> | undefined;
  const open = async (servers: readonly ConfiguredServer[] = []) => {
    opened ??= running ? running.openSecrets() : openSecretStore(place.env);
    return secretAccess(await opened, () => servers);
  };
  return {
    async list() {
      const { servers, pending } = await effectiveConfig(place);
      return (await open([...servers.values(), ...pending])).list();
    },
    set: async (name, value) => (await open()).set(name, value),
    remove: async (name) => (await open()).remove(name),
  };
}

/** Opens the secret store of the user without a host. */
async function openSecretStore(env: Env): Promise<SecretSource> {
  const state = await openSharedState(env);
  const keyring = systemKeyring({ env, clock: systemClock });
  const { secrets } = new HostVault({ state, keyring, clock: systemClock, emit: () => {} });
  return { store: secrets, error: state.openError };
}
