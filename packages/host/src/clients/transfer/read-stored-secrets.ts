/** Finds out whether the secrets of imported servers can be stored, and which names are in use. */
import { toHostError } from "@plugboard/contracts";
import type { WorkspaceSecrets } from "@plugboard/contracts";

type StoredSecrets = { readonly names: ReadonlySet<string> } | { readonly problem: string };

/** Returns the reason if secrets can't be stored. */
export async function readStoredSecrets(store: Pick<WorkspaceSecrets, "list">): Promise<StoredSecrets> {
  try {
    const { backend, unreadable, secrets } = await store.list();
    if (unreadable) return { problem: unreadable.message };
    if (backend === "memory") return { problem: "The program of this host supplies its secrets." };
    return { names: new Set(secrets.map(({ name }) => name)) };
  } catch (thrown) {
    return { problem: toHostError(thrown).message };
  }
}
