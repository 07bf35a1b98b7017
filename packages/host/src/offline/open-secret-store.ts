/** Opens the secret store of the user without a host. */
import { systemClock } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { systemKeyring } from "../auth/vault/system-keyring.ts";
import { HostVault } from "../core/host-vault.ts";
import type { SecretSource } from "../workspace/secret-access.ts";
import { openSharedState } from "./stored-trust.ts";

export async function openSecretStore(env: Env): Promise<SecretSource> {
  const state = await openSharedState(env);
  const keyring = systemKeyring({ env, clock: systemClock });
  const { secrets } = new HostVault({ state, keyring, clock: systemClock, emit: () => {} });
  return { store: secrets, error: state.openError };
}
