/** Lists stored secrets, and the secrets that the servers of a workspace refer to, whether they exist or not. */
import { toHostError } from "@plugboard/contracts";
import type { SecretList, SecretStatus } from "@plugboard/contracts";
import { secretReferencesOf } from "@plugboard/config";
import type { ConfiguredServer, SecretPorts } from "@plugboard/config";
import type { SecretStore } from "../auth/vault/secret-store.ts";

/** `program` is the callback by which a program supplies all secrets instead of the store. */
export async function secretStatuses(
  store: SecretStore,
  servers: Iterable<Pick<ConfiguredServer, "id" | "definition">>,
  program?: SecretPorts["secrets"],
): Promise<SecretList> {
  const references = serversByReference(servers);
  if (program) {
    const secrets = await Promise.all([...references].map(([name, ids]) => programSecret(name, ids, program)));
    return { backend: "memory", secrets };
  }
  const report = await store.backend();
  try {
    const stored = await store.list();
    const storedSecrets = [...stored].map(([name, setAt]): SecretStatus => ({
      name,
      state: "stored",
      ...(setAt !== undefined && { setAt }),
      servers: references.get(name) ?? [],
    }));
    const others = [...references].filter(([name]) => !stored.has(name));
    const otherSecrets = await Promise.all(others.map(([name, ids]) => secretElsewhere(name, ids, store)));
    return { ...report, secrets: [...storedSecrets, ...otherSecrets].sort(byName) };
  } catch (error) {
    // `unreadable` replaces the note, which would say the same.
    const { note: _, ...place } = report;
    const unknown = [...references].map(([name, ids]): SecretStatus => ({ name, state: "unknown", servers: ids }));
    return { ...place, unreadable: toHostError(error).toJSON(), secrets: unknown.sort(byName) };
  }
}

function serversByReference(servers: Iterable<Pick<ConfiguredServer, "id" | "definition">>): Map<string, string[]> {
  const references = new Map<string, string[]>();
  for (const { id, definition } of servers) {
    if ("invalid" in definition) continue;
    for (const reference of secretReferencesOf(definition)) {
      if (!("$secret" in reference)) continue;
      const ids = references.get(reference.$secret) ?? [];
      references.set(reference.$secret, ids.includes(id) ? ids : [...ids, id]);
    }
  }
  return references;
}

async function secretElsewhere(name: string, servers: readonly string[], store: SecretStore): Promise<SecretStatus> {
  const place = await store.locate(name);
  return { name, state: place === undefined ? "missing" : place === "store" ? "stored" : "keyring", servers };
}

async function programSecret(
  name: string,
  servers: readonly string[],
  program: NonNullable<SecretPorts["secrets"]>,
): Promise<SecretStatus> {
  try {
    return { name, state: (await program(name)) === undefined ? "missing" : "program", servers };
  } catch {
    // The error is not passed on, because the message of a program's callback may quote the secret.
    return { name, state: "unknown", servers };
  }
}

function byName(a: SecretStatus, b: SecretStatus): number {
  return a.name < b.name ? -1 : 1;
}
