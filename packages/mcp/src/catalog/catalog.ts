/**
 * The catalog of one server. Lists its tools when a session opens. Lists resources, templates and prompts on first use,
 * and again on the next use after a change or expiry. Lists skills on each use, because servers do not report their
 * changes. Never polls.
 */
import { HostError } from "@plugboard/contracts";
import type { Caller, Prompt, Resource, ResourceTemplate, Skill, Clock } from "@plugboard/contracts";
import type { Op } from "../session/op.ts";
import type { ServerInfo } from "../session/server-info.ts";
import type { Outcome } from "../session/outcome.ts";
import type { CallContext, Change, ChangeFilter, ChangeSubscription, Session } from "../session/session.ts";
import { CachedList } from "./cached-list.ts";
import { listPages } from "./list-pages.ts";
import type { ListResult, ListKind } from "./list-pages.ts";
import { PROMPT_LIST, RESOURCE_LIST, TEMPLATE_LIST } from "./list-kinds.ts";
import { ResourceCache } from "./resource-cache.ts";
import { SKILL_LIST, unusableSkillReason } from "./skill-list.ts";
import type { CatalogSnapshot } from "./catalog-snapshot.ts";
import { ToolList } from "./tool-list.ts";
import type { ToolCatalog } from "./tool-list.ts";

export type CatalogPart = "tools" | "resources" | "prompts";

/** Stores the catalog for times without a connection. */
export interface CatalogStore {
  get(): CatalogSnapshot | undefined;
  set(snapshot: CatalogSnapshot): void;
  /** Returns when the catalog was stored, in milliseconds since 1970. */
  storedAt(): number | undefined;
}

export interface CatalogOptions {
  readonly server: string;
  readonly clock: Clock;
  /** Returns the timeout of a listing. */
  readonly timeoutMs: () => number;
  readonly store?: CatalogStore | undefined;
  /** Connects first if needed. */
  readonly request: (op: Op, ctx: CallContext) => Promise<Outcome>;
  /** Reports changes over all sessions of the connection. */
  readonly listen: (filter: ChangeFilter, onChange: (change: Change) => void) => ChangeSubscription;
  readonly onChanged: (part: CatalogPart) => void;
}

/** The caller of the listings, which belong to no user. */
const HOST_CALLER: Caller = { kind: "program", id: "host" };

export class Catalog {
  readonly #options: CatalogOptions;
  readonly #tools: ToolList;
  readonly #resources: CachedList<ListResult<Resource>>;
  readonly #templates: CachedList<ListResult<ResourceTemplate>>;
  readonly #prompts: CachedList<ListResult<Prompt>>;
  readonly #subscribed = new Set<CatalogPart>();
  #resourceCache: ResourceCache | undefined;
  #hasListedTools = false;
  #serverInfo: CatalogSnapshot["serverInfo"];

  constructor(options: CatalogOptions) {
    const { server, clock, store } = options;
    const stored = store?.get();
    this.#options = options;
    this.#resources = new CachedList(clock, stored?.resources);
    this.#templates = new CachedList(clock, stored?.templates);
    this.#prompts = new CachedList(clock, stored?.prompts);
    this.#serverInfo = stored?.serverInfo;
    this.#tools = new ToolList({
      server,
      clock,
      lastSeen: stored?.tools,
      context: (signal) => this.#context(signal),
      onChanged: () => {
        this.#hasListedTools = true;
        this.#save();
        options.onChanged("tools");
      },
    });
  }

  get lastTools(): ToolCatalog {
    return this.#tools.last;
  }

  /** The last known lists. A list is absent if it was never listed. */
  get last(): CatalogSnapshot {
    const resources = this.#resources.last;
    const templates = this.#templates.last;
    const prompts = this.#prompts.last;
    return {
      tools: this.#tools.last,
      ...(resources && { resources }),
      ...(templates && { templates }),
      ...(prompts && { prompts }),
      ...(this.#serverInfo && { serverInfo: this.#serverInfo }),
    };
  }

  /** Lists the tools of a new session. */
  async sessionOpened(session: Session, signal: AbortSignal): Promise<void> {
    const { capabilities, instructions }: ServerInfo = session.serverInfo;
    this.#serverInfo = { capabilities, ...(instructions !== undefined && { instructions }) };
    await this.#tools.sessionOpened(session, signal);
    this.#hasListedTools = true;
    this.#save();
  }

  /** When the tools were stored, if no session has listed them since. */
  get toolsStoredAt(): number | undefined {
    return this.#hasListedTools ? undefined : this.#options.store?.storedAt();
  }

  sessionClosed(): void {
    this.#tools.sessionClosed();
  }

  tools(): ToolCatalog {
    return this.#tools.get();
  }

  /** Resolves when the list of tools includes all changes that the server has reported so far. Never rejects. */
  updateTools(): Promise<void> {
    return this.#tools.update();
  }

  resources(): Promise<ListResult<Resource>> {
    return this.#list(this.#resources, RESOURCE_LIST, "resources");
  }

  templates(): Promise<ListResult<ResourceTemplate>> {
    return this.#list(this.#templates, TEMPLATE_LIST, "resources");
  }

  prompts(): Promise<ListResult<Prompt>> {
    return this.#list(this.#prompts, PROMPT_LIST, "prompts");
  }

  async skills(): Promise<ListResult<Skill>> {
    const { server, clock, request } = this.#options;
    const context = { server, clock, request, ctx: this.#context(), unusableReason: unusableSkillReason };
    // A skill without a list of its files is not usable, so it is not in the result.
    return emptyIfNotOffered(listPages(SKILL_LIST, context) as Promise<ListResult<Skill>>);
  }

  /** Returns the contents of a resource from the cache while the server's ttl lasts. Otherwise calls `read`. */
  async readResource(uri: string, read: () => Promise<Outcome>): Promise<Outcome> {
    const cache = (this.#resourceCache ??= new ResourceCache(this.#options.clock));
    const cached = cache.get(uri);
    if (cached) return { type: "complete", result: cached };
    const { invalidations } = cache;
    const outcome = await read();
    if (outcome.type !== "complete" || cache.invalidations !== invalidations) return outcome;
    if (cache.set(uri, outcome.result)) this.#subscribe("resources");
    return outcome;
  }

  /** Lists the tools now, and marks all other lists as changed. */
  async refresh(): Promise<void> {
    this.handleChange({ type: "resources" });
    this.handleChange({ type: "prompts" });
    await this.#tools.refresh();
  }

  handleChange(change: Change): void {
    if (change.type === "resource") this.#resourceCache?.invalidate(change.uri);
    if (change.type === "prompts" && this.#prompts.invalidate()) this.#options.onChanged("prompts");
    if (change.type !== "resources") return;
    this.#resourceCache?.clear();
    const resourcesWereValid = this.#resources.invalidate();
    const templatesWereValid = this.#templates.invalidate();
    if (resourcesWereValid || templatesWereValid) this.#options.onChanged("resources");
  }

  async #list<Item>(
    list: CachedList<ListResult<Item>>,
    kind: ListKind<Item>,
    part: "resources" | "prompts",
  ): Promise<ListResult<Item>> {
    const { server, clock, request } = this.#options;
    this.#subscribe(part);
    const before = list.last;
    return emptyIfNotOffered(
      list
        .get(() => listPages(kind, { server, clock, request, ctx: this.#context() }))
        .then((listed) => {
          if (listed !== before) this.#save();
          return listed;
        }),
    );
  }

  /** Starts to listen for changes of that part. */
  #subscribe(part: "resources" | "prompts"): void {
    if (this.#subscribed.has(part)) return;
    this.#subscribed.add(part);
    this.#options.listen({ [part]: true }, (change) => this.handleChange(change));
  }

  #context(signal?: AbortSignal): CallContext {
    const timeoutMs = this.#options.timeoutMs();
    return { caller: HOST_CALLER, signal, timeoutMs, maxMs: timeoutMs, elicitation: false };
  }

  #save(): void {
    this.#options.store?.set(this.last);
  }
}

async function emptyIfNotOffered<Item>(listing: Promise<ListResult<Item>>): Promise<ListResult<Item>> {
  try {
    return await listing;
  } catch (error) {
    if (error instanceof HostError && error.code === "NOT_OFFERED") return { items: [], dropped: [] };
    throw error;
  }
}
