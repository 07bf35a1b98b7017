/** Entries that outlive the host, kept in memory so that reading them never waits. */

/** Where they are stored. Whoever gives one sees to its file, its versions and its lock. */
export interface StoredList<Entry> {
  load(): Promise<Entry[]>;
  /** Changes what is stored now, whoever has stored it; nobody else does meanwhile. */
  update(change: (all: Entry[]) => Entry[]): Promise<void>;
}

export class StoredListCache<Entry> {
  readonly #list: StoredList<Entry>;
  readonly #isEntry: (value: unknown) => value is Entry;
  #all: readonly Entry[] = [];
  #updates = 0;

  /** A person may have edited the file: what is no entry is as good as not there. */
  constructor(list: StoredList<Entry>, isEntry: (value: unknown) => value is Entry) {
    this.#list = list;
    this.#isEntry = isEntry;
  }

  get all(): readonly Entry[] {
    return this.#all;
  }

  async reload(): Promise<void> {
    let updates: number;
    let loaded: Entry[];
    do {
      updates = this.#updates;
      loaded = await this.#list.load().catch((error: unknown) => {
        // What can't be read counts for nothing, whatever it was before.
        this.#all = [];
        throw error;
      });
      // It may be older than what was stored meanwhile.
    } while (updates !== this.#updates);
    this.#all = loaded.filter(this.#isEntry);
  }

  /** Counts once it is stored. */
  async update(change: (all: Entry[]) => Entry[]): Promise<void> {
    let changed: Entry[] = [];
    await this.#list.update((all) => (changed = change(all.filter(this.#isEntry))));
    this.#updates += 1;
    this.#all = changed;
  }
}
