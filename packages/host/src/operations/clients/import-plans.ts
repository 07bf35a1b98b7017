/** Plans the import of other clients' servers, and imports the servers that the owner has chosen. */
import { HostError, toHostError } from "@plugboard/contracts";
import type {
  ImportableServer,
  ImportFile,
  ImportPlan,
  ImportResult,
  ImportServersOptions,
  PlanImportOptions,
  WorkspaceSecrets,
} from "@plugboard/contracts";
import type * as Clients from "@plugboard/config/clients";
import type { ClientServers, PlannedFile, PlannedServer } from "@plugboard/config/clients";
import { clientPlaces } from "./client-places.ts";
import { keepFirstOfId } from "./keep-first-of-id.ts";
import type { OperationsPlace } from "../operations-context.ts";
import type { Plans } from "../plans.ts";
import { selectIds } from "./select-ids.ts";
import { describeStore } from "../servers/storable-secrets.ts";

/** The servers of a plan by their keys. */
export type PlannedImport = ReadonlyMap<string, PlannedServer>;

export interface ImportPlansOptions {
  readonly secrets: WorkspaceSecrets;
  readonly place: OperationsPlace;
  readonly plans: Plans<PlannedImport>;
  /** The caller that owns the plans. */
  readonly owner: object;
}

export class ImportPlans {
  readonly #options: ImportPlansOptions;

  constructor(options: ImportPlansOptions) {
    this.#options = options;
  }

  /** Lists the servers of all clients. It makes no plan, because it does not open the secret store. */
  async list({ replace = false }: Pick<PlanImportOptions, "replace"> = {}): Promise<ImportFile[]> {
    const { planImport } = await import("@plugboard/config/clients");
    const { files, unreadable } = await this.#read({});
    return describeFiles(await planImport(files, { ...this.#options.place, replace }), unreadable).files;
  }

  async plan(options: PlanImportOptions = {}): Promise<ImportPlan> {
    const { owner, plans } = this.#options;
    const { files: read, unreadable } = await this.#read(options);
    const { planned, store } = await this.#compare(selectServers(read, options.only), options);
    const { files, servers } = describeFiles(options.distinct ? keepFirstOfId(planned) : planned, unreadable);
    return { plan: plans.add(owner, servers), files, ...store };
  }

  async #read({ source, scope }: PlanImportOptions) {
    const { readAllClients, readImportSource } = await import("@plugboard/config/clients");
    const places = clientPlaces(this.#options.place);
    if (source === undefined) return readAllClients(places, scope);
    return { files: await readImportSource(source, places, scope), unreadable: [] };
  }

  /** Opens the secret store only for servers with secrets, because the user may have to unlock it. */
  async #compare(files: readonly ClientServers[], { replace = false, plainSecrets = false }: PlanImportOptions) {
    const { secrets, place } = this.#options;
    const { planImport, keepPlainSecrets, readStoredSecrets } = await import("@plugboard/config/clients");
    const planned = await planImport(files, { ...place, replace });
    const hasSecrets = planned.some((file) => file.servers.some((each) => isChange(each) && each.secrets.length > 0));
    if (plainSecrets || !hasSecrets) {
      const plain = planned.map((file) => ({ ...file, servers: file.servers.map(keepPlainSecrets) }));
      return { planned: plain, store: {} };
    }
    const stored = await readStoredSecrets(secrets);
    const storedSecrets = "users" in stored ? stored.users : new Map();
    return { planned: await planImport(files, { ...place, replace, storedSecrets }), store: describeStore(stored) };
  }

  /** Throws NOT_FOUND for a key that the plan does not have. Then nothing is imported, and the plan stays. */
  async apply(
    plan: string,
    keys: readonly string[],
    { plainSecrets = [] }: ImportServersOptions = {},
  ): Promise<ImportResult> {
    const { owner, plans } = this.#options;
    return plans.apply(owner, plan, (planned) => this.#import(planned, keys, plainSecrets));
  }

  async #import(
    planned: PlannedImport,
    keys: readonly string[],
    plainSecrets: readonly string[],
  ): Promise<ImportResult> {
    const { secrets } = this.#options;
    rejectUnknownKeys([...keys, ...plainSecrets], planned);
    const { applyImport, keepPlainSecrets } = await import("@plugboard/config/clients");
    const chosen = keys.map((key) => {
      const server = planned.get(key)!;
      return { key, server: plainSecrets.includes(key) ? keepPlainSecrets(server) : server };
    });
    const changes = chosen.filter(({ server }) => isChange(server));
    const imported: string[] = [];
    try {
      await applyImport(
        changes.map(({ server }) => server),
        {
          storeSecret: (name, value) => secrets.set(name, value),
          onWritten: () => imported.push(changes[imported.length]!.key),
        },
      );
      return { imported };
    } catch (thrown) {
      // Servers are imported one after another, so the first server that was not imported has failed.
      const failed = changes[imported.length];
      if (!failed) throw thrown;
      return { imported, failed: { key: failed.key, error: toHostError(thrown).toJSON() } };
    }
  }
}

/** Describes the files and their servers, and gives each server a key by which it can be chosen. */
function describeFiles(
  planned: readonly PlannedFile[],
  unreadable: Awaited<ReturnType<typeof Clients.readAllClients>>["unreadable"],
): { readonly files: ImportFile[]; readonly servers: PlannedImport } {
  const servers = new Map<string, PlannedServer>();
  const read = planned.map((file): ImportFile => ({
    client: file.client,
    label: file.label,
    file: file.file,
    skipped: file.skipped,
    servers: file.servers.map((server) => {
      const key = String(servers.size);
      servers.set(key, server);
      return toImportable(key, server);
    }),
  }));
  const failed = unreadable.map(({ reason, ...file }) => ({ ...file, servers: [], skipped: [], error: reason }));
  return { files: [...read, ...failed], servers };
}

function isChange({ action }: PlannedServer): boolean {
  return action === "add" || action === "replace";
}

/** Keeps only the servers with these ids. Throws USAGE for an unknown id. */
function selectServers(files: readonly ClientServers[], only: PlanImportOptions["only"]): readonly ClientServers[] {
  if (only === undefined) return files;
  const known = files.flatMap(({ servers }) => servers.map(({ id }) => id));
  const ids = selectIds(only, known, "import");
  return files.map((file) => ({ ...file, servers: file.servers.filter(({ id }) => ids.has(id)), skipped: [] }));
}

function rejectUnknownKeys(keys: readonly string[], planned: PlannedImport): void {
  const unknown = keys.find((key) => !planned.has(key));
  if (unknown !== undefined)
    throw new HostError("NOT_FOUND", { subject: `server with the key ${JSON.stringify(unknown)} in the plan` });
}

/** Leaves out the values of the secrets. */
function toImportable(key: string, server: PlannedServer): ImportableServer {
  const { id, scope, enabled, action, runs, masked, target, notes, secrets, plain } = server;
  return {
    key,
    id,
    scope,
    enabled,
    action,
    entry: masked,
    target,
    notes,
    secrets: secrets.map((secret) => ({ key: secret.key, name: secret.name })),
    ...(runs !== undefined && { runs }),
    ...(plain && { plainEntry: plain.masked }),
  };
}
