/**
 * Lists resources, templates or prompts on all servers of a workspace in parallel. If a server fails or is too slow,
 * the list has an error for it. A slow request goes on in the background, so the next list includes its result.
 */
import { abortable, cancelled, HostError, toHostError } from "@plugboard/contracts";
import type { HostErrorJson, MultiServerList, Clock } from "@plugboard/contracts";
import type { Connection, ListResult } from "@plugboard/mcp";
import { renameServerInError } from "../calls/rename-server-in-error.ts";
import type { RequestTarget, ServerRequests } from "../calls/server-requests.ts";

/** The parts of a workspace that resources, prompts and completions use to reach the servers. */
export interface CatalogPorts {
  readonly targets: RequestTargets;
  readonly requests: ServerRequests;
  readonly clock: Clock;
}

/** The servers of a workspace that requests may go to. */
export interface RequestTargets {
  /** Returns the servers that are enabled, visible and not denied by a rule, in the order of the config. */
  all(): Iterable<RequestTarget>;
  /** Throws SERVER_UNKNOWN for an unknown id. Throws TOOL_DENIED, with the method, if a rule denies the server. */
  get(id: string, method: string): RequestTarget;
}

/** A list method of the protocol, such as `prompts/list`, and the function that calls it. */
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

type ServerListResult<Item> = { readonly listed: ListResult<Item> } | { readonly error: HostError };

export async function listAcrossServers<Item>(
  { targets, clock }: CatalogPorts,
  { method, list }: ListMethod<Item>,
  { server: onlyServer, signal }: ServerListOptions = {},
): Promise<CrossServerListing<Item>> {
  if (signal?.aborted) throw cancelled();
  const listedTargets = onlyServer === undefined ? [...targets.all()] : [targets.get(onlyServer, method)];
  const results = new Map<string, ServerListResult<Item>>();
  const allListed = Promise.all(
    listedTargets.map(async (target) => void results.set(target.server, await listOne(list, target))),
  );
  if (onlyServer === undefined) {
    await waitAtMost(LIST_TIMEOUT_MS, allListed, clock, signal);
  } else {
    await abortable(allListed, signal);
    throwIfDisabled(results.get(onlyServer));
  }
  const timedOut = (server: string) => ({
    error: new HostError("REQUEST_TIMEOUT", { server, method, afterMs: LIST_TIMEOUT_MS }),
  });
  return collect(listedTargets.map(({ server }) => [server, results.get(server) ?? timedOut(server)] as const));
}

/** Resolves when all servers are listed or the time is up. Rejects if the caller cancels. Never stops the requests. */
function waitAtMost(
  timeoutMs: number,
  allListed: Promise<unknown>,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  let stopTimer = () => {};
  const timeUp = new Promise<void>((resolve) => (stopTimer = clock.after(timeoutMs, resolve)));
  return abortable(Promise.race([allListed, timeUp]), signal).finally(stopTimer);
}

/** Returns the list or the error of one server. Never rejects. */
async function listOne<Item>(list: ListMethod<Item>["list"], target: RequestTarget): Promise<ServerListResult<Item>> {
  try {
    return { listed: await list(await target.lease()) };
  } catch (error) {
    return { error: renameServerInError(toHostError(error), target.server) };
  }
}

function throwIfDisabled<Item>(result: ServerListResult<Item> | undefined): void {
  if (result && "error" in result && result.error.code === "SERVER_DISABLED") throw result.error;
}

/** Joins the lists in the order of the servers. */
function collect<Item>(results: readonly (readonly [string, ServerListResult<Item>])[]): CrossServerListing<Item> {
  const errors = new Map<string, HostErrorJson>();
  const items = results.flatMap(([server, result]) => {
    if ("listed" in result) return result.listed.items.map((item) => ({ ...item, server }));
    // A disabled server is left out without an error.
    if (result.error.code !== "SERVER_DISABLED") errors.set(server, result.error.toJSON());
    return [];
  });
  const dropped = results.flatMap(([server, result]) =>
    "listed" in result ? result.listed.dropped.map((item) => ({ server, ...item })) : [],
  );
  return { items, report: { errors: Object.fromEntries(errors), ...(dropped.length > 0 && { dropped }) } };
}
