/** Shows other clients on this machine, and connects them to this host or disconnects them. */
import { HostError } from "@plugboard/contracts";
import type {
  ClientInfo,
  ClientName,
  ClientPlan,
  ConnectInstructions,
  ConnectClientOptions,
} from "@plugboard/contracts";
import { ensureStateFolder } from "@plugboard/store";
import type { FileChange, GatewayTarget } from "@plugboard/config/clients";
import { revokeClientToken } from "../tokens/client-token.ts";
import { clientPlaces } from "./client-places.ts";
import { copyNotes } from "./copy-notes.ts";
import { effectiveProfiles } from "./effective-profiles.ts";
import type { OperationsPlace } from "./operations-context.ts";
import type { Plans } from "./plans.ts";

export interface ClientConnectionsOptions {
  readonly place: OperationsPlace;
  readonly plans: Plans<FileChange>;
  /** The caller that owns the plans. */
  readonly owner: object;
  /** The path of the script that starts `plugboard`. */
  readonly script: string;
  /** Returns the URL of the port, if one is open. */
  readonly endpoint: () => string | undefined;
}

export class ClientConnections {
  readonly #options: ClientConnectionsOptions;

  constructor(options: ClientConnectionsOptions) {
    this.#options = options;
  }

  async list(): Promise<ClientInfo[]> {
    const { listClients } = await import("@plugboard/config/clients");
    const clients = await listClients(clientPlaces(this.#options.place));
    return clients.map(({ client, label, installed, files }) => ({
      client,
      label,
      installed,
      connectedBy: files.filter(({ connections }) => connections.length > 0).map(({ file }) => file),
    }));
  }

  async instructions(client: ClientName, { profile }: ConnectClientOptions = {}): Promise<ConnectInstructions> {
    const { connectInstructions } = await import("@plugboard/config/clients");
    const { target, notes } = await this.#chooseTarget(client, profile);
    const endpoint = this.#options.endpoint();
    const targets = endpoint === undefined ? [target] : [target, httpTarget(endpoint, profile)];
    const instructions = await connectInstructions(client, targets, clientPlaces(this.#options.place));
    return { ...instructions, notes: [...notes, ...instructions.notes] };
  }

  async planConnect(client: ClientName, { profile }: ConnectClientOptions = {}): Promise<ClientPlan> {
    const { planConnect } = await import("@plugboard/config/clients");
    const { target, notes } = await this.#chooseTarget(client, profile);
    const change = await planConnect(client, "user", target, clientPlaces(this.#options.place));
    return this.#addPlan(change, [...notes, ...change.notes, ...(await copyNotes(client, this.#options.place))]);
  }

  async planDisconnect(client: ClientName): Promise<ClientPlan> {
    const { planDisconnect } = await import("@plugboard/config/clients");
    const options = { scope: undefined, restore: false };
    const places = clientPlaces(this.#options.place);
    return this.#addPlan(await planDisconnect(client, options, places, await this.#records()), []);
  }

  /** Writes the planned change of a client's file. */
  async applyPlan(plan: string): Promise<void> {
    const { owner, plans, place } = this.#options;
    const change = plans.get(owner, plan);
    const { writeChange } = await import("@plugboard/config/clients");
    await writeChange(change, await this.#records());
    // The client has no entry now, or one that starts a command. Neither needs a token.
    await revokeClientToken(place.env, change.client, change.oldToken);
  }

  #addPlan(change: FileChange, notes: readonly string[]): ClientPlan {
    const { owner, plans } = this.#options;
    const { label, file, action, diff } = change;
    return { plan: plans.add(owner, change), label, file, action, diff, notes };
  }

  async #records() {
    const { ConnectionRecords } = await import("@plugboard/config/clients");
    return new ConnectionRecords(await ensureStateFolder(this.#options.place.env));
  }

  /** Returns the command by which the client starts `plugboard`. Throws NOT_FOUND for an unknown profile. */
  async #chooseTarget(client: ClientName, profile: string | undefined) {
    const { place, script } = this.#options;
    if (profile !== undefined && !(await effectiveProfiles(place)).has(profile))
      throw new HostError("NOT_FOUND", { subject: `profile ${JSON.stringify(profile)}` });
    const { chooseCommand } = await import("@plugboard/config/clients");
    return chooseCommand(client, "user", profile, { node: process.execPath, script }, clientPlaces(place));
  }
}

function httpTarget(endpoint: string, profile: string | undefined): GatewayTarget {
  const url = profile === undefined ? `${endpoint}/mcp` : `${endpoint}/mcp/p/${profile}`;
  return { kind: "http", url, headers: { Authorization: "Bearer <token>" } };
}
