/** A server's tools: listed as soon as it is open, again when it says that they changed, and when they are used and too old. */
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";
import type { CallContext, ChangeSubscription, Session } from "../session/session.ts";
import { CachedList } from "./cached-list.ts";
import { listTools, NO_TOOLS } from "./list-tools.ts";
import type { ToolCatalog } from "./list-tools.ts";

export interface ToolListOptions {
  readonly server: string;
  readonly clock: Clock;
  readonly context: (signal?: AbortSignal) => CallContext;
  readonly lastSeen?: ToolCatalog | undefined;
  /** Told when the list is another than it was. */
  readonly onChanged: () => void;
}

/** A server that says with every list that it has changed would keep us listing: the longer that takes, the longer we rest. */
const MIN_RELIST_PAUSE_MS = 250;
const MAX_RELIST_PAUSE_MS = 30_000;
const PAUSE_PER_LIST_TIME = 4;

export class ToolList {
  readonly #options: ToolListOptions;
  readonly #cache: CachedList<ToolCatalog>;
  #session: Session | undefined;
  #subscription: ChangeSubscription | undefined;
  #relist: "no" | "running" | "again" = "no";
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
      const changed = (this.#relist as string) === "again";
      this.#relist = "no";
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

  /** As last seen; if that has grown too old it is listed again meanwhile. */
  get(): ToolCatalog {
    if (this.#session && !this.#cache.fresh && this.#relist === "no") void this.#listAgain();
    return this.last;
  }

  /** Listed now, whatever is known; nothing without a session. */
  async refresh(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const before = this.last;
    this.#cache.reset();
    const listed = await this.#cache.get(() => this.#list(session));
    if (session === this.#session && listed !== before) this.#options.onChanged();
  }

  /** The same object, if the list is the same. */
  async #list(session: Session, signal?: AbortSignal): Promise<ToolCatalog> {
    const { server, clock, context } = this.#options;
    const listed = await listTools(server, session, clock, context(signal));
    const { last } = this;
    return isSame(last, listed) ? last : listed;
  }

  /** However often a server says that its list changed, one listing runs and at most one waits. */
  async #listAgain(): Promise<void> {
    if (this.#relist !== "no") return void (this.#relist = "again");
    do {
      this.#relist = "running";
      const session = this.#session;
      if (!session) break;
      const before = this.last;
      const began = steadyNow(this.#options.clock);
      try {
        const listed = await this.#cache.get(() => this.#list(session));
        // A session that has ended meanwhile may have lost half of it.
        if (session !== this.#session) break;
        if (listed !== before) this.#options.onChanged();
      } catch {
        // The last good list stays; if the server is broken, the connection itself says so.
        break;
      }
      const took = steadyNow(this.#options.clock) - began;
      await this.#pause(Math.min(Math.max(MIN_RELIST_PAUSE_MS, took * PAUSE_PER_LIST_TIME), MAX_RELIST_PAUSE_MS));
    } while ((this.#relist as string) === "again");
    this.#relist = "no";
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(ms, resolve);
      this.#endPause = () => (stop(), resolve());
    });
  }
}

/** To write them out is worth it only where they may be the same: when they are first listed, they are not. */
function isSame(one: ToolCatalog, other: ToolCatalog): boolean {
  return one.tools.length === other.tools.length && JSON.stringify(one) === JSON.stringify(other);
}
