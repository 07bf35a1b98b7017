/**
 * What a server offers, as far as anybody has asked. Its tools are known as soon
 * as it is open; the other lists are listed when they are first used, and again
 * at the next use after they have changed or have grown too old. Nothing is polled.
 */
import { HostError } from "@plugboard/contracts";
import type { Caller, Prompt, Resource, ResourceTemplate } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import type { Op } from "../dialect/op.ts";
import type { Outcome } from "../dialect/outcome.ts";
import type { CallContext, Change, Filter, Listening, Session } from "../dialect/session.ts";
import { KeptList } from "./kept-list.ts";
import { listPages } from "./list-pages.ts";
import type { Listed, ListKind } from "./list-pages.ts";
import type { ToolCatalog } from "./list-tools.ts";
import { PROMPTS } from "./prompt-list.ts";
import { ReadCache } from "./read-cache.ts";
import { RESOURCES, TEMPLATES } from "./resource-lists.ts";
import type { CatalogSnapshot } from "./snapshot.ts";
import { ToolList } from "./tool-list.ts";

export type CatalogPart = "tools" | "resources" | "prompts";

/** Where what was offered is kept while nobody is connected. */
export interface CatalogStore {
  get(): CatalogSnapshot | undefined;
  set(snapshot: CatalogSnapshot): void;
}

export interface CatalogOptions {
  readonly server: string;
  readonly clock: Clock;
  /** How long a listing may take. */
  readonly timeoutMs: number;
  readonly store?: CatalogStore | undefined;
  /** Opens the connection if need be. */
  readonly request: (op: Op, ctx: CallContext) => Promise<Outcome>;
  /** For as long as there are sessions. */
  readonly listen: (want: Filter, on: (change: Change) => void) => Listening;
  readonly onChanged: (part: CatalogPart) => void;
}

/** The catalog is listed on the host's own behalf. */
const HOST: Caller = { kind: "program", id: "host" };

export class Catalog {
  readonly #options: CatalogOptions;
  readonly #tools: ToolList;
  readonly #resources: KeptList<Listed<Resource>>;
  readonly #templates: KeptList<Listed<ResourceTemplate>>;
  readonly #prompts: KeptList<Listed<Prompt>>;
  readonly #reads: ReadCache;
  readonly #heeded = new Set<CatalogPart>();

  constructor(options: CatalogOptions) {
    const { server, clock, store } = options;
    const last = store?.get();
    this.#options = options;
    this.#resources = new KeptList(clock, last?.resources);
    this.#templates = new KeptList(clock, last?.templates);
    this.#prompts = new KeptList(clock, last?.prompts);
    this.#reads = new ReadCache(clock);
    this.#tools = new ToolList({
      server,
      clock,
      last: last?.tools,
      context: (signal) => this.#context(signal),
      onChanged: () => {
        this.#keep();
        options.onChanged("tools");
      },
    });
  }

  get lastTools(): ToolCatalog {
    return this.#tools.last;
  }

  /** As last seen. Absent is what was never asked for. */
  get last(): CatalogSnapshot {
    const [resources, templates, prompts] = [this.#resources.last, this.#templates.last, this.#prompts.last];
    return {
      tools: this.#tools.last,
      ...(resources && { resources }),
      ...(templates && { templates }),
      ...(prompts && { prompts }),
    };
  }

  /** Learns what a new session offers first of all. */
  async opened(session: Session, signal: AbortSignal): Promise<void> {
    await this.#tools.opened(session, signal);
    this.#keep();
  }

  closed(): void {
    this.#tools.closed();
  }

  tools(): ToolCatalog {
    return this.#tools.use();
  }

  resources(): Promise<Listed<Resource>> {
    return this.#use(this.#resources, RESOURCES, "resources");
  }

  templates(): Promise<Listed<ResourceTemplate>> {
    return this.#use(this.#templates, TEMPLATES, "resources");
  }

  prompts(): Promise<Listed<Prompt>> {
    return this.#use(this.#prompts, PROMPTS, "prompts");
  }

  /** What a resource holds: from memory while its server says that this is good, else by `read`. */
  async read(uri: string, read: () => Promise<Outcome>): Promise<Outcome> {
    const kept = this.#reads.get(uri);
    if (kept) return { type: "complete", result: kept };
    const { changes } = this.#reads;
    const outcome = await read();
    if (outcome.type !== "complete" || this.#reads.changes !== changes) return outcome;
    if (this.#reads.put(uri, outcome.result)) this.#heed("resources");
    return outcome;
  }

  /** Lists the tools now; of the rest nothing that is known counts any more. */
  async refresh(): Promise<void> {
    this.heard({ type: "resources" });
    this.heard({ type: "prompts" });
    await this.#tools.refresh();
  }

  heard(change: Change): void {
    if (change.type === "resource") this.#reads.updated(change.uri);
    if (change.type === "prompts" && this.#prompts.changed()) this.#options.onChanged("prompts");
    if (change.type !== "resources") return;
    this.#reads.clear();
    const [single, families] = [this.#resources.changed(), this.#templates.changed()];
    if (single || families) this.#options.onChanged("resources");
  }

  async #use<Item>(
    list: KeptList<Listed<Item>>,
    kind: ListKind<Item>,
    part: "resources" | "prompts",
  ): Promise<Listed<Item>> {
    const { server, clock, request } = this.#options;
    this.#heed(part);
    const before = list.last;
    try {
      const listed = await list.use(() => listPages(kind, { server, clock, request, ctx: this.#context() }));
      if (listed !== before) this.#keep();
      return listed;
    } catch (error) {
      if (error instanceof HostError && error.code === "NOT_OFFERED") return { items: [], dropped: [] };
      throw error;
    }
  }

  /** From now on what is said of that part is heard. */
  #heed(part: "resources" | "prompts"): void {
    if (this.#heeded.has(part)) return;
    this.#heeded.add(part);
    this.#options.listen({ [part]: true }, (change) => this.heard(change));
  }

  #context(signal?: AbortSignal): CallContext {
    const { timeoutMs } = this.#options;
    return { caller: HOST, signal, timeoutMs, maxMs: timeoutMs, elicitation: false };
  }

  #keep(): void {
    this.#options.store?.set(this.last);
  }
}
