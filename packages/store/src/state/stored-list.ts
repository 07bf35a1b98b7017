/** Caches a stored list in memory, so that reading it is synchronous. */

/** The storage of a list. The implementation handles the file, its version and its lock. */
export interface StoredList<Entry> {
  load(): Promise<Entry[]>;
  /** Applies a change to the stored entries while no other process changes them. */
  update(change: (all: Entry[]) => Entry[]): Promise<void>;
}

export class StoredListCache<Entry> {
  readonly #list: StoredList<Entry>;
  readonly #isEntry: (value: unknown) => value is Entry;
  #all: readonly Entry[] = [];
  #invalid: readonly unknown[] = [];
  #updateCount = 0;

  /** Ignores entries that are not valid, because a person may have edited the file. */
  constructor(list: StoredList<Entry>, isEntry: (value: unknown) => value is Entry) {
    this.#list = list;
    this.#isEntry = isEntry;
  }

  get all(): readonly Entry[] {
    return this.#all;
  }

  /** The entries of the latest `reload` that are not valid. An update removes them. */
  get invalid(): readonly unknown[] {
    return this.#invalid;
  }

  async reload(): Promise<void> {
    let countBefore: number;
    let loaded: Entry[];
    do {
      countBefore = this.#updateCount;
      loaded = await this.#list.load().catch((error: unknown) => {
        // If the file can't be read, the cache is empty.
        this.#all = [];
        throw error;
      });
      // Loads again if an update ended in the meantime, because the loaded entries may be older than it.
    } while (countBefore !== this.#updateCount);
    this.#all = loaded.filter(this.#isEntry);
    this.#invalid = loaded.filter((entry) => !this.#isEntry(entry));
  }

  /** Changes the stored entries first, then the cache. The change also gets the entries that are not valid. */
  async update(change: (all: Entry[], invalid: readonly unknown[]) => Entry[]): Promise<void> {
    let changed: Entry[] = [];
    await this.#list.update((all) => {
      const invalid = all.filter((entry) => !this.#isEntry(entry));
      return (changed = change(all.filter(this.#isEntry), invalid));
    });
    this.#updateCount += 1;
    this.#all = changed;
  }
}
