/** Lists other MCP clients on this machine. Connects them to this host or disconnects them by changing their files. */
import type {
  ChangedClient,
  ClientInfo,
  ClientName,
  ClientPlan,
  Clock,
  ConnectClientOptions,
  ConnectInstructions,
  ConnectPlan,
  DisconnectClientOptions,
  HostInfo,
  InstructionsOptions,
} from "@plugboard/contracts";
import { ensureStateFolder, stateFolder } from "@plugboard/store";
import type { FileChange } from "@plugboard/config/clients";
import { createClientToken, findClientToken, revokeClientToken } from "../../tokens/client-token.ts";
import type { NewClientToken } from "../../tokens/client-token.ts";
import { newToken } from "../../tokens/owner-token.ts";
import { clientPlaces } from "./client-places.ts";
import { chooseTarget, commandTarget, httpTarget, readableByOthersNotes } from "./gateway-target.ts";
import type { OperationsPlace } from "../operations-context.ts";
import type { Plans } from "../plans.ts";
import { requireProfile } from "./require-profile.ts";

/** A planned change of a client's file. */
export interface PlannedChange {
  readonly change: FileChange;
  /** The token in the new entry: a new token, or the old token (`kept`). `none`: the old token, if any, is revoked. */
  readonly token: NewClientToken | "kept" | "none";
}

export interface ClientConnectionsOptions {
  readonly place: OperationsPlace;
  readonly plans: Plans<PlannedChange>;
  /** The caller that owns the plans. */
  readonly owner: object;
  /** The path of the script that starts `plugboard`. */
  readonly script: string;
  readonly clock: Pick<Clock, "now">;
  /** Returns the open port of the running host, if there is one. */
  readonly port: () => HostInfo["port"];
}

export class ClientConnections {
  readonly #options: ClientConnectionsOptions;

  constructor(options: ClientConnectionsOptions) {
    this.#options = options;
  }

  async list(): Promise<ClientInfo[]> {
    const { listClients } = await import("@plugboard/config/clients");
    return listClients(clientPlaces(this.#options.place));
  }

  async instructions(client: ClientName, options: InstructionsOptions = {}): Promise<ConnectInstructions> {
    const { place, port, script } = this.#options;
    const { profile } = options;
    await requireProfile(profile, place);
    const { connectInstructions } = await import("@plugboard/config/clients");
    const { target, notes } = await commandTarget(client, options, script, place);
    const endpoint = port()?.endpoint;
    const targets = endpoint === undefined ? [target] : [target, httpTarget(endpoint, profile, "<token>")];
    const instructions = await connectInstructions(client, targets, clientPlaces(place));
    return { ...instructions, notes: [...notes, ...instructions.notes] };
  }

  async planConnect(client: ClientName, options: ConnectClientOptions = {}): Promise<ConnectPlan> {
    const { place, port, script } = this.#options;
    const { profile, scope = "user" } = options;
    await requireProfile(profile, place);
    const { planConnect, listClients } = await import("@plugboard/config/clients");
    const places = clientPlaces(place);
    const planWith = async (token: string) => {
      const { target, notes } = await chooseTarget(client, options, token, { script, port: port()?.port, place });
      return { notes, change: await planConnect(client, scope, target, places) };
    };
    // The first plan also reads the old token in the client's file. If that token can be kept, plans again with it.
    const token = newToken();
    let planned = await planWith(token);
    const { oldToken, realPath } = planned.change;
    const keptToken = options.http ? await findClientToken(place.env, client, profile, oldToken) : undefined;
    if (keptToken !== undefined) planned = await planWith(keptToken);
    const { change } = planned;
    const listed = (await listClients(places)).find((each) => each.client === client);
    const readable = options.http ? await readableByOthersNotes(realPath) : [];
    const notes = [...planned.notes, ...change.notes, ...readable];
    const plannedToken = !options.http ? "none" : keptToken === undefined ? { token, profile } : "kept";
    const { entry, servers, imported } = change;
    return {
      ...this.#addPlan({ change, token: plannedToken }, notes),
      installed: listed?.installed === true,
      entry,
      servers,
      imported,
    };
  }

  async planDisconnect(
    client: ClientName,
    { scope, restore = false }: DisconnectClientOptions = {},
  ): Promise<ClientPlan> {
    const { planDisconnect, ConnectionRecords } = await import("@plugboard/config/clients");
    const { place } = this.#options;
    const records = new ConnectionRecords(stateFolder(place.env));
    const change = await planDisconnect(client, { scope, restore }, clientPlaces(place), records);
    return this.#addPlan({ change, token: "none" }, []);
  }

  /** Writes the planned change of a client's file. */
  async applyPlan(plan: string): Promise<ChangedClient> {
    const { owner, plans, place, clock } = this.#options;
    return plans.apply(owner, plan, (planned) => writeClientChange(planned, place.env, clock.now()));
  }

  #addPlan(planned: PlannedChange, notes: readonly string[]): ClientPlan {
    const { owner, plans } = this.#options;
    const { client, label, scope, file, realPath, action, after, diff } = planned.change;
    return {
      plan: plans.add(owner, planned),
      client,
      label,
      scope,
      file,
      ...(realPath !== file && { linkTo: realPath }),
      action,
      deletes: after === undefined && action !== "none",
      diff,
      notes,
    };
  }
}

/** Writes the file, and stores or revokes the token of the client. */
export async function writeClientChange(
  { change, token }: PlannedChange,
  env: OperationsPlace["env"],
  now: number,
): Promise<ChangedClient> {
  const { writeChange, ConnectionRecords } = await import("@plugboard/config/clients");
  const records = new ConnectionRecords(await ensureStateFolder(env));
  let backup: string | undefined;
  const write = async () => {
    backup = await writeChange(change, records);
  };
  if (typeof token === "object") await createClientToken(env, change.client, token, now, write);
  else {
    await write();
    if (token === "none") await revokeClientToken(env, change.client, change.oldToken);
  }
  return backup === undefined ? {} : { backup };
}
