/** Shows other clients on this machine, imports their servers, and connects them to this host. */
import { homedir } from "node:os";
import type { ClientInfo, ClientName, ClientPlan, ImportFile, ImportPlan } from "@plugboard/contracts";
import { ensureStateFolder, loadClientConnect, loadClientTransfer } from "@plugboard/host/internal";
import type { ConnectPlan, PlannedServer } from "@plugboard/host/internal";
import type { ManagedPlace } from "./host-management.ts";
import type { Plans } from "./plans.ts";

type ImportedServers = ReadonlyMap<string, PlannedServer>;

export interface ClientPlansOptions {
  readonly place: ManagedPlace;
  readonly owner: object;
  readonly imports: Plans<ImportedServers>;
  readonly connections: Plans<ConnectPlan>;
  /** The path of the script that starts `plugboard`. */
  readonly script: string;
}

export class ClientPlans {
  readonly #options: ClientPlansOptions;

  constructor(options: ClientPlansOptions) {
    this.#options = options;
  }

  get #places() {
    const { cwd, env } = this.#options.place;
    return { home: env["HOME"] || homedir(), project: cwd, env, platform: process.platform };
  }

  async planImport(): Promise<ImportPlan> {
    const { place, owner, imports } = this.#options;
    const transfer = await loadClientTransfer();
    const { files, unreadable } = await transfer.readAllClients(this.#places);
    const planned = await transfer.planImport(files, { ...place, replace: true });
    const servers = new Map<string, PlannedServer>();
    const listed = planned.map((file): ImportFile => ({
      label: file.label,
      file: file.file,
      skipped: file.skipped,
      servers: file.servers.map((server) => {
        const key = String(servers.size);
        servers.set(key, server);
        const { id, action, runs, masked, target, notes } = server;
        return { key, id, action, entry: masked, target, notes, ...(runs !== undefined && { runs }) };
      }),
    }));
    const failed = unreadable.map(({ client, file, reason }) => ({
      label: client,
      file,
      servers: [],
      skipped: [],
      error: reason,
    }));
    return { plan: imports.add(owner, servers), files: [...listed, ...failed] };
  }

  async importServers(plan: string, keys: readonly string[]): Promise<string[]> {
    const { owner, imports } = this.#options;
    const planned = imports.get(owner, plan);
    const chosen = keys.flatMap((key) => planned.get(key) ?? []);
    const saved: string[] = [];
    const { applyImport } = await loadClientTransfer();
    await applyImport(chosen, ({ id }) => saved.push(id));
    return saved;
  }

  async list(): Promise<ClientInfo[]> {
    const { listClients } = await loadClientConnect();
    const clients = await listClients(this.#places);
    return clients.map(({ client, label, installed, files }) => ({
      client,
      label,
      installed,
      connectedBy: files.filter(({ connections }) => connections.length > 0).map(({ file }) => file),
    }));
  }

  async planConnect(client: ClientName): Promise<ClientPlan> {
    const { owner, connections, script } = this.#options;
    const { chooseCommand, planConnect } = await loadClientConnect();
    const running = { node: process.execPath, script };
    const { target, notes } = await chooseCommand(client, "user", undefined, running, this.#places);
    const planned = await planConnect(client, "user", target, this.#places);
    const { label, file, action, diff, entry } = planned;
    return {
      plan: connections.add(owner, planned),
      label,
      file,
      action,
      diff,
      entry,
      notes: [...notes, ...planned.notes],
    };
  }

  async connect(plan: string): Promise<void> {
    const { owner, connections, place } = this.#options;
    const planned = connections.get(owner, plan);
    const { writeChange, ConnectionRecords } = await loadClientConnect();
    await writeChange(planned, new ConnectionRecords(await ensureStateFolder(place.env)));
  }
}
