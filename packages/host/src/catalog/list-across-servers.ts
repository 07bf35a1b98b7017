/**
 * Lists something on all servers of a workspace at once. A server that fails is
 * named with its error. One that is slow is named too and not waited for any
 * longer, while its listing goes on, for whoever asks next.
 */
import { abortable, cancelled, HostError, toHostError } from "@plugboard/contracts";
import type { HostErrorJson, MultiServerList } from "@plugboard/contracts";
import type { Clock, Connection, ListResult } from "@plugboard/mcp";
import { renameServerInError } from "../calls/rename-server-in-error.ts";
import type { ServerAccess, AccessibleServer } from "./server-access.ts";

export interface CrossServerListerOptions {
  readonly access: ServerAccess;
  readonly clock: Clock;
  /** How long the others are waited for. */
  readonly timeoutMs?: number;
}

/** What is listed: by which method, and how a connection does it. */
export interface ListMethod<Item> {
  readonly method: string;
  readonly list: (connection: Connection) => Promise<ListResult<Item>>;
}

export interface ServerListOptions {
  /** Lists only this server and waits for it. Throws if the server is unknown, denied or disabled. */
  readonly server?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CrossServerListing<Item> {
  readonly items: (Item & { readonly server: string })[];
  readonly report: MultiServerList;
}

const LIST_TIMEOUT_MS = 5000;

type ListOutcome<Item> = { readonly listed: ListResult<Item> } | { readonly error: HostError };

export class CrossServerLister {
  readonly #options: CrossServerListerOptions;

  constructor(options: CrossServerListerOptions) {
    this.#options = options;
  }

  async list<Item>(
    listing: ListMethod<Item>,
    { server, signal }: ServerListOptions = {},
  ): Promise<CrossServerListing<Item>> {
    if (signal?.aborted) throw cancelled();
    const { access, timeoutMs = LIST_TIMEOUT_MS } = this.#options;
    const servers = server === undefined ? [...access.all()] : [access.get(server, listing.method)];
    const outcomes = new Map<string, ListOutcome<Item>>();
    const listings = servers.map(async (one) => void outcomes.set(one.id, await listOne(listing, one)));
    await this.#wait(Promise.all(listings), signal, server === undefined ? timeoutMs : undefined);
    if (server !== undefined) throwIfDisabled(outcomes.get(server));
    const timeoutDetails = (id: string) => ({ server: id, method: listing.method, afterMs: timeoutMs });
    return collect(
      servers.map(
        ({ id }) => [id, outcomes.get(id) ?? { error: new HostError("REQUEST_TIMEOUT", timeoutDetails(id)) }] as const,
      ),
    );
  }

  /** Resolves when all lists are there or the time is up. Rejects if the caller cancels. Does not stop the listings. */
  #wait(listings: Promise<unknown>, signal: AbortSignal | undefined, timeoutMs: number | undefined): Promise<unknown> {
    if (timeoutMs === undefined) return abortable(listings, signal);
    let stopTimer = () => {};
    const timeUp = new Promise<void>((resolve) => (stopTimer = this.#options.clock.after(timeoutMs, resolve)));
    return abortable(Promise.race([listings, timeUp]), signal).finally(stopTimer);
  }
}

/** Never rejects. */
async function listOne<Item>({ list }: ListMethod<Item>, server: AccessibleServer): Promise<ListOutcome<Item>> {
  try {
    return { listed: await list(await server.connection()) };
  } catch (error) {
    return { error: renameServerInError(toHostError(error), server.id) };
  }
}

function throwIfDisabled<Item>(outcome: ListOutcome<Item> | undefined): void {
  if (outcome && "error" in outcome && outcome.error.code === "SERVER_DISABLED") throw outcome.error;
}

/** In the order of the servers, whoever was first to answer. */
function collect<Item>(outcomes: readonly (readonly [string, ListOutcome<Item>])[]): CrossServerListing<Item> {
  const errors = new Map<string, HostErrorJson>();
  const items = outcomes.flatMap(([server, end]) => {
    if ("listed" in end) return end.listed.items.map((item) => ({ ...item, server }));
    // What is switched off is not missed.
    if (end.error.code !== "SERVER_DISABLED") errors.set(server, end.error.toJSON());
    return [];
  });
  const dropped = outcomes.flatMap(([server, end]) =>
    "listed" in end ? end.listed.dropped.map((one) => ({ server, ...one })) : [],
  );
  return { items, report: { errors: Object.fromEntries(errors), ...(dropped.length > 0 && { dropped }) } };
}
