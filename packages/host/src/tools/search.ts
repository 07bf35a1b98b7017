/**
 * Finds tools by what they are about. The index follows the registry: only
 * servers whose list has changed are read again, when somebody next searches.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { RegisteredTool } from "./registered-tool.ts";
import { SearchIndex } from "./search-index.ts";

export interface SearchOptions {
  /** How many at most; 10 unless said. */
  readonly limit?: number;
}

export interface SearchHit {
  readonly tool: RegisteredTool;
  readonly score: number;
}

/** The part of the registry that a search needs. */
export interface Searchable {
  readonly generation: number;
  byServer(): ReadonlyMap<string, readonly RegisteredTool[]>;
}

/** How many tools are read before others have their turn. */
const BATCH = 20;

export class ToolSearch {
  readonly #registry: Searchable;
  /** By server, the list that is in the index. */
  readonly #indexed = new Map<string, readonly RegisteredTool[]>();
  #index: SearchIndex | undefined;
  #generation: number | undefined;
  #reading: Promise<void> | undefined;

  constructor(registry: Searchable) {
    this.#registry = registry;
  }

  /** Best first. Nothing for a query without a word. */
  async search(query: string, { limit = 10 }: SearchOptions = {}): Promise<SearchHit[]> {
    const index = await this.#upToDate();
    return index.search(query).slice(0, limit);
  }

  /** Searches at the same time wait for one reading; what has changed meanwhile is read before they go on. */
  async #upToDate(): Promise<SearchIndex> {
    while (!this.#index || this.#generation !== this.#registry.generation) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
      await this.#reading;
    }
    return this.#index;
  }

  async #read(): Promise<void> {
    const index = (this.#index ??= await SearchIndex.open());
    const { generation } = this.#registry;
    const lists = this.#registry.byServer();
    for (const [server, list] of this.#indexed) {
      if (lists.get(server) === list) continue;
      for (const tool of list) index.remove(tool);
      this.#indexed.delete(server);
    }
    let read = 0;
    for (const [server, list] of lists) {
      if (this.#indexed.has(server)) continue;
      for (const tool of list) {
        index.add(tool);
        if (++read % BATCH === 0) await turn();
      }
      this.#indexed.set(server, list);
    }
    this.#generation = generation;
  }
}
