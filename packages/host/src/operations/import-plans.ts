/** Plans the import of other clients' servers, and imports those that the owner has chosen. */
import { HostError, toHostError } from "@plugboard/contracts";
import type {
  ImportableServer,
  ImportFile,
  ImportPlan,
  ImportResult,
  ImportServersOptions,
  WorkspaceSecrets,
} from "@plugboard/contracts";
import type { PlannedServer } from "@plugboard/config/clients";
import { clientPlaces } from "./client-places.ts";
import type { OperationsPlace } from "./operations-context.ts";
import type { Plans } from "./plans.ts";
import { describeStore } from "./servers/storable-secrets.ts";

/** The servers of a plan by their keys. */
export type PlannedImport = ReadonlyMap<string, PlannedServer>;

export interface ImportPlansOptions {
  readonly place: OperationsPlace;
  readonly secrets: WorkspaceSecrets;
  readonly plans: Plans<PlannedImport>;
  /** The caller that owns the plans. */
  readonly owner: object;
}

export class ImportPlans {
  readonly #options: ImportPlansOptions;

  constructor(options: ImportPlansOptions) {
    this.#options = options;
  }

  async plan(): Promise<ImportPlan> {
    const { place, secrets, owner, plans } = this.#options;
    const transfer = await import("@plugboard/config/clients");
    const { files, unreadable } = await transfer.readAllClients(clientPlaces(place));
    const stored = await transfer.readStoredSecrets(secrets);
    const storedSecrets = "users" in stored ? stored.users : new Map();
    const plannedFiles = await transfer.planImport(files, { ...place, replace: true, storedSecrets });
    const servers = new Map<string, PlannedServer>();
    const listed = plannedFiles.map((file): ImportFile => ({
      label: file.label,
      file: file.file,
      skipped: file.skipped,
      servers: file.servers.map((server) => {
        const key = String(servers.size);
        servers.set(key, server);
        return toImportable(key, server);
      }),
    }));
    const failed = unreadable.map(({ label, file, reason }) => ({
      label,
      file,
      servers: [],
      skipped: [],
      error: reason,
    }));
    return {
      plan: plans.add(owner, servers),
      files: [...listed, ...failed],
      ...describeStore(stored),
    };
  }

  /** Throws NOT_FOUND for a key that the plan does not have. Then nothing is imported. */
  async apply(
    plan: string,
    keys: readonly string[],
    { plainSecrets = [] }: ImportServersOptions = {},
  ): Promise<ImportResult> {
    const { secrets, owner, plans } = this.#options;
    const planned = plans.get(owner, plan);
    rejectUnknownKeys([...keys, ...plainSecrets], planned);
    const { applyImport, keepPlainSecrets } = await import("@plugboard/config/clients");
    const chosen = keys.map((key) => {
      const server = planned.get(key)!;
      return plainSecrets.includes(key) ? keepPlainSecrets(server) : server;
    });
    const changes = chosen.filter(({ action }) => action === "add" || action === "replace");
    const imported: string[] = [];
    try {
      await applyImport(changes, {
        storeSecret: (name, value) => secrets.set(name, value),
        onWritten: ({ id }) => imported.push(id),
      });
      return { imported };
    } catch (thrown) {
      // Servers are imported one after another, so the first one that is missing has failed.
      const failed = changes[imported.length];
      if (!failed) throw thrown;
      return { imported, failed: { id: failed.id, error: toHostError(thrown).toJSON() } };
    }
  }
}

function rejectUnknownKeys(keys: readonly string[], planned: PlannedImport): void {
  const unknown = keys.find((key) => !planned.has(key));
  if (unknown !== undefined)
    throw new HostError("NOT_FOUND", { subject: `server with the key ${JSON.stringify(unknown)} in the plan` });
}

/** Leaves out the values of the secrets. */
function toImportable(key: string, server: PlannedServer): ImportableServer {
  const { id, action, runs, masked, target, notes, secrets, plain } = server;
  return {
    key,
    id,
    action,
    entry: masked,
    target,
    notes,
    secrets: secrets.map((secret) => ({ key: secret.key, name: secret.name })),
    ...(runs !== undefined && { runs }),
    ...(plain && { plainEntry: plain.masked }),
  };
}
