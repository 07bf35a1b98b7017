/** Shows other clients on this machine, imports their servers, and connects them to this host. */
import { homedir } from "node:os";
import { HostError } from "@plugboard/contracts";
import type {
  ClientInfo,
  ClientName,
  ClientPlan,
  ConnectInstructions,
  ConnectClientOptions,
  ImportableServer,
  ImportFile,
  ImportPlan,
  ImportServersOptions,
} from "@plugboard/contracts";
import { ensureStateFolder, loadClientConnect, loadClientTransfer } from "@plugboard/host/internal";
import type { FileChange, GatewayTarget, Host, PlannedServer } from "@plugboard/host/internal";
import { revokeClientToken } from "../auth/client-token.ts";
import type { ManagedPlace } from "./host-management.ts";
import { effectiveProfiles } from "./effective-profiles.ts";
import type { Plans } from "./plans.ts";
import { withSecrets } from "./with-secrets.ts";

type ImportedServers = ReadonlyMap<string, PlannedServer>;

export interface ClientPlansOptions {
  readonly host: Pick<Host, "open" | "release" | "bind">;
  readonly place: ManagedPlace;
  readonly owner: object;
  readonly imports: Plans<ImportedServers>;
  readonly changes: Plans<FileChange>;
  /** The path of the script that starts `plugboard`. */
  readonly script: string;
  /** Returns the URL of the port, if one is open. */
  readonly endpoint: () => string | undefined;
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
    const { host, place, owner, imports } = this.#options;
    const transfer = await loadClientTransfer();
    const { files, unreadable } = await transfer.readAllClients(this.#places);
    const stored = await withSecrets(host, place, (store) => transfer.readStoredSecrets(store));
    const storedSecrets = "users" in stored ? stored.users : new Map();
    const planned = await transfer.planImport(files, { ...place, replace: true, storedSecrets });
    const servers = new Map<string, PlannedServer>();
    const listed = planned.map((file): ImportFile => ({
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
      plan: imports.add(owner, servers),
      files: [...listed, ...failed],
      ...("problem" in stored && { secretStoreProblem: stored.problem }),
    };
  }

  async importServers(
    plan: string,
    keys: readonly string[],
    { plainSecrets = [] }: ImportServersOptions = {},
  ): Promise<string[]> {
    const { host, place, owner, imports } = this.#options;
    const planned = imports.get(owner, plan);
    const { applyImport, keepPlainSecrets } = await loadClientTransfer();
    const chosen = keys.flatMap((key) => {
      const server = planned.get(key);
      if (!server) return [];
      return plainSecrets.includes(key) ? keepPlainSecrets(server) : server;
    });
    const saved: string[] = [];
    await withSecrets(host, place, (store) =>
      applyImport(chosen, {
        storeSecret: (name, value) => store.set(name, value),
        onWritten: ({ id }) => saved.push(id),
      }),
    );
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

  async instructions(client: ClientName, { profile }: ConnectClientOptions = {}): Promise<ConnectInstructions> {
    const { connectInstructions } = await loadClientConnect();
    const { target, notes } = await this.#command(client, profile);
    const endpoint = this.#options.endpoint();
    const url = profile === undefined ? `${endpoint}/mcp` : `${endpoint}/mcp/p/${profile}`;
    const http: GatewayTarget = { kind: "http", url, headers: { Authorization: "Bearer <token>" } };
    const targets = [target, ...(endpoint === undefined ? [] : [http])];
    const instructions = await connectInstructions(client, targets, this.#places);
    return { ...instructions, notes: [...notes, ...instructions.notes] };
  }

  async planConnect(client: ClientName, { profile }: ConnectClientOptions = {}): Promise<ClientPlan> {
    const { planConnect } = await loadClientConnect();
    const { target, notes } = await this.#command(client, profile);
    const planned = await planConnect(client, "user", target, this.#places);
    return this.#planned(planned, [...notes, ...planned.notes]);
  }

  async planDisconnect(client: ClientName): Promise<ClientPlan> {
    const { planDisconnect, ConnectionRecords } = await loadClientConnect();
    const records = new ConnectionRecords(await ensureStateFolder(this.#options.place.env));
    return this.#planned(await planDisconnect(client, { scope: undefined, restore: false }, this.#places, records), []);
  }

  async change(plan: string): Promise<void> {
    const { owner, changes, place } = this.#options;
    const planned = changes.get(owner, plan);
    const { writeChange, ConnectionRecords } = await loadClientConnect();
    await writeChange(planned, new ConnectionRecords(await ensureStateFolder(place.env)));
    // The new entry starts a command, which needs no token.
    await revokeClientToken(place.env, planned.client, planned.oldToken);
  }

  #planned(planned: FileChange, notes: readonly string[]): ClientPlan {
    const { owner, changes } = this.#options;
    const { label, file, action, diff } = planned;
    return { plan: changes.add(owner, planned), label, file, action, diff, notes };
  }

  async #command(client: ClientName, profile: string | undefined) {
    const { place, script } = this.#options;
    if (profile !== undefined && !(await effectiveProfiles(place)).has(profile))
      throw new HostError("NOT_FOUND", { subject: `profile ${JSON.stringify(profile)}` });
    const { chooseCommand } = await loadClientConnect();
    return chooseCommand(client, "user", profile, { node: process.execPath, script }, this.#places);
  }
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
