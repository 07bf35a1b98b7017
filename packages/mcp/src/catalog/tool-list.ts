/**
 * The list of a server's tools. Lists them when a session opens, when the server reports a change, and when the list is
 * used after it has expired.
 */
import type { Tool, Clock } from "@plugboard/contracts";
import { steadyNow } from "@plugboard/contracts";
import { parseHostIds } from "../session/identity.ts";
import type { CallContext, ChangeSubscription, Session } from "../session/session.ts";
import { parseToolPage } from "../wire/parse-tools.ts";
import { CachedList } from "./cached-list.ts";
import { listPages } from "./list-pages.ts";
import type { ListKind } from "./list-pages.ts";

export interface ToolCatalog {
  readonly tools: readonly Tool[];
  /** The tools that the server lists but that cannot be used, with the reason. */
  readonly dropped: readonly DroppedTool[];
  /** How long the list is valid, by the server's word. */
  readonly ttlMs?: number;
  /** The ids of the hosts that offer the tools. */
  readonly hostIds?: readonly string[];
}

interface DroppedTool {
  readonly tool: string;
  readonly reason: string;
}

export const NO_TOOLS: ToolCatalog = { tools: [], dropped: [] };

export interface ToolListOptions {
  readonly server: string;
  readonly clock: Clock;
  /** Returns the context of a listing. */
  readonly context: (signal?: AbortSignal) => CallContext;
  /** The stored list of an earlier run. */
  readonly lastSeen?: ToolCatalog | undefined;
  /** Called when the tools have changed. */
  readonly onChanged: () => void;
}

/** Pauses between two listings, longer if a listing takes long. Some servers report a change after every listing. */
const MIN_RELIST_PAUSE_MS = 250;
const MAX_RELIST_PAUSE_MS = 30_000;
const PAUSE_PER_LIST_TIME = 4;

export class ToolList {
  readonly #options: ToolListOptions;
  readonly #cache: CachedList<ToolCatalog>;
  #session: Session | undefined;
  #subscription: ChangeSubscription | undefined;
  /** `again` means that the server has reported a change while a listing was running. */
  #relist: "idle" | "running" | "again" = "idle";
  #endPause: (() => void) | undefined;

  constructor(options: ToolListOptions) {
    this.#options = options;
    this.#cache = new CachedList(options.clock, options.lastSeen);
  }

  get last(): ToolCatalog {
    return this.#cache.last ?? NO_TOOLS;
  }

  async sessionOpened(session: Session, signal: AbortSignal): Promise<void> {
    this.#session = session;
    this.#relist = "running";
    const listing = this.#cache.get(() => this.#list(session, signal));
    // Subscribes before the list arrives, so that a change right after it is not lost.
    if (session.serverInfo.capabilities.listChanged.tools) {
      this.#subscription = session.listen({ tools: true }, () => {
        this.#cache.invalidate();
        void this.#listAgain();
      });
    }
    try {
      await listing;
    } finally {
      // TypeScript does not see that the subscription may have changed the field.
      const changed = (this.#relist as string) === "again";
      this.#relist = "idle";
      if (changed) void this.#listAgain();
    }
  }

  sessionClosed(): void {
    this.#session = undefined;
    this.#cache.reset();
    this.#subscription?.stop();
    this.#subscription = undefined;
    this.#endPause?.();
  }

  /** Returns the last list, and lists again in the background if it has expired. */
  get(): ToolCatalog {
    if (this.#session && !this.#cache.fresh && this.#relist === "idle") void this.#listAgain();
    return this.last;
  }

  /** Lists the tools now if there is a session. */
  async refresh(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const before = this.last;
    this.#cache.reset();
    const listed = await this.#cache.get(() => this.#list(session));
    if (session === this.#session && listed !== before) this.#options.onChanged();
  }

  /**
   * Lists the tools if the server has reported a change since the last listing, or if the list has expired. Never
   * rejects.
   */
  async update(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const { last: before } = this;
    const { isListing } = this.#cache;
    // Keeps the last list after an error. The connection reports a broken server.
    const listed = await this.#cache.get(() => this.#list(session)).catch(() => before);
    // A listing that was running reports the change itself.
    if (!isListing && session === this.#session && listed !== before) this.#options.onChanged();
  }

  /** Returns the previous object if the list is the same. */
  async #list(session: Session, signal?: AbortSignal): Promise<ToolCatalog> {
    const { server, clock, context } = this.#options;
    const listed = await listTools(server, session, clock, context(signal));
    const { last } = this;
    return isSame(last, listed) ? last : listed;
  }

  /** Runs one listing at a time. At most one more waits, however often the server reports a change. */
  async #listAgain(): Promise<void> {
    if (this.#relist !== "idle") return void (this.#relist = "again");
    do {
      this.#relist = "running";
      const session = this.#session;
      if (!session) break;
      const before = this.last;
      const began = steadyNow(this.#options.clock);
      try {
        const listed = await this.#cache.get(() => this.#list(session));
        // The session has ended meanwhile, so the list may be incomplete.
        if (session !== this.#session) break;
        if (listed !== before) this.#options.onChanged();
      } catch {
        // Keeps the last list. The connection reports a broken server.
        break;
      }
      const took = steadyNow(this.#options.clock) - began;
      await this.#pause(Math.min(Math.max(MIN_RELIST_PAUSE_MS, took * PAUSE_PER_LIST_TIME), MAX_RELIST_PAUSE_MS));
    } while ((this.#relist as string) === "again");
    this.#relist = "idle";
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(ms, resolve);
      this.#endPause = () => {
        stop();
        resolve();
      };
    });
  }
}

/** Compares the lengths first, because serializing both lists is slow. */
function isSame(one: ToolCatalog, other: ToolCatalog): boolean {
  return one.tools.length === other.tools.length && JSON.stringify(one) === JSON.stringify(other);
}

const TOOL_LIST: ListKind<Tool> = {
  method: "tools/list",
  key: "tools",
  idOf: ({ name }) => name,
  parsePage: (result) => {
    const page = parseToolPage(result);
    return page && { items: page.tools, dropped: page.dropped, unnamedCount: page.unnamedCount };
  },
};

async function listTools(server: string, session: Session, clock: Clock, ctx: CallContext): Promise<ToolCatalog> {
  if (!session.serverInfo.capabilities.tools) return NO_TOOLS;
  let hostIds: readonly string[] = [];
  const { items, dropped, ...rest } = await listPages(TOOL_LIST, {
    server,
    clock,
    ctx,
    request: async (op, page) => {
      const outcome = await session.request(op, page);
      if (outcome.type === "complete") hostIds = parseHostIds(outcome.result["_meta"]);
      return outcome;
    },
    unusableReason: (tool) => session.unusableReason(tool),
  });
  return {
    tools: items,
    dropped: dropped.map(({ name: tool, reason }) => ({ tool, reason })),
    ...(hostIds.length > 0 && { hostIds }),
    ...rest,
  };
}
