/**
 * Searches tools by words in their names, descriptions and parameters. Before a search, the index is updated for the
 * servers whose tools have changed.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RegisteredTool } from "./registered-tool.ts";
import { SearchIndex } from "./search-index.ts";
import type { SearchHit } from "./search-index.ts";

export interface SearchOptions {
  /** The maximum number of hits. Default: 10. */
  readonly limit?: number;
}

/** The part of the registry that a search needs. */
export interface SearchSource {
  readonly generation: number;
  byServer(): ReadonlyMap<string, readonly RegisteredTool[]>;
}

/** The number of words to index before other work may run, about 10 ms. A tool has at most 3 000 words. */
const SLICE_WORDS = 2_000;
/** Indexing a tool without any words takes about as long as indexing this many words. */
const TOOL_BASE_WORDS = 20;

export class ToolSearch {
  readonly #registry: SearchSource;
  readonly #pause: () => Promise<unknown>;
  /** The indexed list, by server. */
  readonly #indexed = new Map<string, readonly RegisteredTool[]>();
  #index: SearchIndex | undefined;
  #generation: number | undefined;
  #updating: Promise<void> | undefined;
  #sliceWords = 0;

  /** Calls `pause` between two slices of indexing, to let other work run. */
  constructor(registry: SearchSource, pause: () => Promise<unknown> = nextTurn) {
    this.#registry = registry;
    this.#pause = pause;
  }

  /** Returns the best hit first. Returns none for a query without words. */
  async search(query: string, { limit = 10 }: SearchOptions = {}): Promise<SearchHit[]> {
    const index = await this.#currentIndex();
    return index.search(query).slice(0, limit);
  }

  /** Concurrent searches share one update. Repeats the update if the registry changed meanwhile. */
  async #currentIndex(): Promise<SearchIndex> {
    while (!this.#index || this.#generation !== this.#registry.generation) {
      this.#updating ??= this.#updateIndex().finally(() => (this.#updating = undefined));
      await this.#updating;
    }
    return this.#index;
  }

  async #updateIndex(): Promise<void> {
    const index = (this.#index ??= await SearchIndex.open());
    const { generation } = this.#registry;
    const lists = this.#registry.byServer();
    for (const [server, list] of this.#indexed) {
      if (lists.get(server) === list) continue;
      await this.#inSlices(list, (tool) => index.remove(tool));
      this.#indexed.delete(server);
    }
    for (const [server, list] of lists) {
      if (this.#indexed.has(server)) continue;
      await this.#inSlices(list, (tool) => index.add(tool));
      this.#indexed.set(server, list);
    }
    this.#generation = generation;
  }

  async #inSlices(list: readonly RegisteredTool[], apply: (tool: RegisteredTool) => number): Promise<void> {
    for (const tool of list) {
      this.#sliceWords += TOOL_BASE_WORDS + apply(tool);
      if (this.#sliceWords < SLICE_WORDS) continue;
      this.#sliceWords = 0;
      await this.#pause();
    }
  }
}
