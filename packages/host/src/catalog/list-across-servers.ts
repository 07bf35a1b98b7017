/**
 * Lists resources, templates or prompts on all servers of a workspace at once. A server that fails or is too slow is
 * reported with its error. A slow listing continues in the background, so the next list has its result.
 */
import { abortable, cancelled, HostError, toHostError } from "@plugboard/contracts";
import type { HostErrorJson, MultiServerList } from "@plugboard/contracts";
import type { Clock, Connection, ListResult } from "@plugboard/mcp";
import { renameServerInError } from "../calls/rename-server-in-error.ts";
import type { RequestTarget, ServerRequests } from "../calls/server-requests.ts";

/** What resources, prompts and completions need to reach the servers. */
export interface CatalogPorts {
  readonly targets: RequestTargets;
  readonly requests: ServerRequests;
  readonly clock: Clock;
}

/** The servers of a workspace that requests may go to. */
export interface RequestTargets {
  /** Returns the servers that are in use and not denied, in the order of the config. */
  all(): Iterable<RequestTarget>;
  /** Throws SERVER_UNKNOWN for an unknown id, and TOOL_DENIED, with the method, for a server that a rule denies. */
  get(id: string, method: string): RequestTarget;
}

/** A list method of the protocol, and the function that calls it. */
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

export async function listAcrossServers<Item>(
  { targets, clock }: CatalogPorts,
  { method, list }: ListMethod<Item>,
  { server, signal }: ServerListOptions = {},
): Promise<CrossServerListing<Item>> {
  if (signal?.aborted) throw cancelled();
  const servers = server === undefined ? [...targets.all()] : [targets.get(server, method)];
  const outcomes = new Map<string, ListOutcome<Item>>();
  const listings = Promise.all(
    servers.map(async (target) => void outcomes.set(target.server, await listOne(list, target))),
  );
  await (server === undefined ? waitAtMost(LIST_TIMEOUT_MS, listings, clock, signal) : abortable(listings, signal));
  if (server !== undefined) throwIfDisabled(outcomes.get(server));
  const timedOut = (id: string) => ({
    error: new HostError("REQUEST_TIMEOUT", { server: id, method, afterMs: LIST_TIMEOUT_MS }),
  });
  return collect(servers.map(({ server: id }) => [id, outcomes.get(id) ?? timedOut(id)] as const));
}

/** Resolves when all lists have arrived or the time is up. Rejects if the caller cancels. Does not stop the listings. */
function waitAtMost(
  timeoutMs: number,
  listings: Promise<unknown>,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  let stopTimer = () => {};
  const timeUp = new Promise<void>((resolve) => (stopTimer = clock.after(timeoutMs, resolve)));
  return abortable(Promise.race([listings, timeUp]), signal).finally(stopTimer);
}

/** Returns a failure as an outcome. Never rejects. */
async function listOne<Item>(list: ListMethod<Item>["list"], target: RequestTarget): Promise<ListOutcome<Item>> {
  try {
    return { listed: await list(await target.lease()) };
  } catch (error) {
    return { error: renameServerInError(toHostError(error), target.server) };
  }
}

function throwIfDisabled<Item>(outcome: ListOutcome<Item> | undefined): void {
  if (outcome && "error" in outcome && outcome.error.code === "SERVER_DISABLED") throw outcome.error;
}

/** Joins the lists in the order of the servers. */
function collect<Item>(outcomes: readonly (readonly [string, ListOutcome<Item>])[]): CrossServerListing<Item> {
  const errors = new Map<string, HostErrorJson>();
  const items = outcomes.flatMap(([server, outcome]) => {
    if ("listed" in outcome) return outcome.listed.items.map((item) => ({ ...item, server }));
    // A disabled server is left out without an error.
    if (outcome.error.code !== "SERVER_DISABLED") errors.set(server, outcome.error.toJSON());
    return [];
  });
  const dropped = outcomes.flatMap(([server, outcome]) =>
    "listed" in outcome ? outcome.listed.dropped.map((item) => ({ server, ...item })) : [],
  );
  return { items, report: { errors: Object.fromEntries(errors), ...(dropped.length > 0 && { dropped }) } };
}
