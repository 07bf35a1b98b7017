/** Finds out whether the secrets of imported servers can be stored, which names are in use, and by which servers. */
import { toHostError } from "@plugboard/contracts";
import type { WorkspaceSecrets } from "@plugboard/contracts";

/** The ids of the servers that refer to each secret, by the name of the secret. */
export type SecretUsers = ReadonlyMap<string, readonly string[]>;

type StoredSecrets =
  | { readonly users: SecretUsers; /** False if the file of the secrets is plain text. */ readonly encrypted: boolean }
  | { readonly problem: string };

/** Returns the reason if secrets can't be stored. */
export async function readStoredSecrets(store: Pick<WorkspaceSecrets, "list">): Promise<StoredSecrets> {
  try {
    const { backend, unreadable, secrets } = await store.list();
    if (unreadable) return { problem: unreadable.message };
    if (backend === "memory")
      return { problem: "This host gets its secrets from the program that started it, so it can't store any." };
    return {
      users: new Map(secrets.map(({ name, servers }) => [name, servers])),
      encrypted: backend === "keyring",
    };
  } catch (thrown) {
    return { problem: toHostError(thrown).message };
  }
}
