/** The secrets of the user, with the references of the configured servers: those of the running host, or the store alone. */
import type { WorkspaceSecrets } from "@plugboard/contracts";
import type { ConfiguredServer } from "@plugboard/config";
import type { Host } from "../core/host.ts";
import { openSecretStore } from "../offline/open-secret-store.ts";
import { secretAccess } from "../workspace/secret-access.ts";
import type { SecretSource } from "../workspace/secret-access.ts";
import { effectiveConfig } from "./config/effective-config.ts";
import type { OperationsPlace } from "./operations-context.ts";

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
