/** Lists and changes the secrets that definitions refer to. Never returns the value of a secret. */
import { HostError } from "@plugboard/contracts";
import type { WorkspaceSecrets } from "@plugboard/contracts";
import type { ConfiguredServer, SecretPorts } from "@plugboard/config";
import type { SecretStore } from "../auth/vault/secret-store.ts";
import { secretStatuses } from "./secret-statuses.ts";

export interface SecretSource {
  readonly store: SecretStore;
  /** The callback of a program that supplies all secrets instead of the store. */
  readonly program?: SecretPorts["secrets"];
  /** Set if the state folder can't be used, so that a change of the store would be lost. */
  readonly error?: HostError | undefined;
}

/** The list also has the secrets that `servers` refer to. */
export function secretAccess(
  { store, program, error }: SecretSource,
  servers: () => Iterable<Pick<ConfiguredServer, "id" | "definition">>,
): WorkspaceSecrets {
  return {
    async list() {
      const list = await secretStatuses(store, servers(), program);
      return error ? { ...list, unreadable: error.toJSON() } : list;
    },
    async set(name, value) {
      if (program) throw new HostError("FORBIDDEN", { reason: "the program supplies the secrets of this host" });
      if (error) throw error;
      await store.set(name, value);
    },
    async remove(name) {
      if (error) throw error;
      return store.remove(name);
    },
  };
}
