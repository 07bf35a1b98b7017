/**
 * Lists something on all servers of a workspace at once. A server that fails is
 * named with its error. One that is slow is named too and not waited for any
 * longer, while its listing goes on, for whoever asks next.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostErrorJson, ListedOver } from "@plugboard/contracts";
import type { Clock, Connection, Listed } from "@plugboard/mcp";
import { relabel } from "../calls/relabel.ts";
import type { Reach, ReachedServer } from "./reach.ts";

export interface OverOptions {
  readonly reach: Reach;
  readonly clock: Clock;
  /** How long the others are waited for. */
  readonly patienceMs?: number;
}

/** What is listed: by which method, and how a connection does it. */
export interface Listing<Item> {
  readonly method: string;
  readonly list: (connection: Connection) => Promise<Listed<Item>>;
}

export interface ListOptions {
  /** Lists only this server and waits for it. Throws if the server is unknown, denied or disabled. */
  readonly server?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FoundOver<Item> {
  readonly items: (Item & { readonly server: string })[];
  readonly over: ListedOver;
}

const PATIENCE_MS = 5000;

type Ended<Item> = { readonly listed: Listed<Item> } | { readonly error: HostError };

export class OverAllServers {
  readonly #options: OverOptions;

  constructor(options: OverOptions) {
    this.#options = options;
  }

  async list<Item>(listing: Listing<Item>, { server, signal }: ListOptions = {}): Promise<FoundOver<Item>> {
    if (signal?.aborted) throw gaveUp();
    const { reach, patienceMs = PATIENCE_MS } = this.#options;
    const wanted = server === undefined ? [...reach.servers()] : [reach.one(server, listing.method)];
    const ended = new Map<string, Ended<Item>>();
    const listings = wanted.map(async (one) => void ended.set(one.id, await listOne(listing, one)));
    await this.#wait(Promise.all(listings), signal, server === undefined ? patienceMs : undefined);
    if (server !== undefined) throwIfDisabled(ended.get(server));
    const late = (id: string) => ({ server: id, method: listing.method, afterMs: patienceMs });
    return gather(
      wanted.map(({ id }) => [id, ended.get(id) ?? { error: new HostError("REQUEST_TIMEOUT", late(id)) }] as const),
    );
  }

  /** Until all is done or patience is at its end; rejects if the caller gives up. Nothing is stopped by that. */
  #wait(all: Promise<unknown>, signal: AbortSignal | undefined, patienceMs: number | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        stopPatience?.();
        signal?.removeEventListener("abort", giveUp);
        then();
      };
      const giveUp = () => settle(() => reject(gaveUp()));
      const stopPatience =
        patienceMs === undefined ? undefined : this.#options.clock.after(patienceMs, () => settle(resolve));
      signal?.addEventListener("abort", giveUp, { once: true });
      void all.then(() => settle(resolve));
    });
  }
}

/** Never rejects. */
async function listOne<Item>({ list }: Listing<Item>, server: ReachedServer): Promise<Ended<Item>> {
  try {
    return { listed: await list(await server.connection()) };
  } catch (error) {
    return { error: relabel(toHostError(error), server.id) };
  }
}

function throwIfDisabled<Item>(ended: Ended<Item> | undefined): void {
  if (ended && "error" in ended && ended.error.code === "SERVER_DISABLED") throw ended.error;
}

/** In the order of the servers, whoever was first to answer. */
function gather<Item>(ended: readonly (readonly [string, Ended<Item>])[]): FoundOver<Item> {
  const errors = new Map<string, HostErrorJson>();
  const items = ended.flatMap(([server, end]) => {
    if ("listed" in end) return end.listed.items.map((item) => ({ ...item, server }));
    // What is switched off is not missed.
    if (end.error.code !== "SERVER_DISABLED") errors.set(server, end.error.toJSON());
    return [];
  });
  const dropped = ended.flatMap(([server, end]) =>
    "listed" in end ? end.listed.dropped.map((one) => ({ server, ...one })) : [],
  );
  return { items, over: { errors: Object.fromEntries(errors), ...(dropped.length > 0 && { dropped }) } };
}

function gaveUp(): HostError {
  return new HostError("CANCELLED", { reason: "the caller gave up" });
}
