/**
 * Remembers which entries of a folder `once` has written for a holder, so that their files are read only once by this
 * process. Such an entry does not change before it expires. Finds the entries of other processes by their file names.
 */
import { entryHolder, isExpired } from "./check-entry.ts";
import type { Entry } from "./entry-store.ts";
import type { KindFolder } from "./kind-folder.ts";

interface HeldEntry extends Pick<Entry, "expiresAt"> {
  /** Undefined for an entry without a holder, and for a file that can't be read. It counts only for the kind. */
  readonly holder: string | undefined;
}

export class HeldEntries {
  /** For each folder, the entries by file name. */
  readonly #known = new Map<string, Map<string, HeldEntry>>();

  /** Also counts expired entries. Expects that the caller holds the lock of the kind. */
  async count(folder: KindFolder, holder: string): Promise<number> {
    const { names, known } = await this.#update(folder);
    const unknown = names.filter((name) => !known.has(name));
    const entries = await folder.readAll(() => {}, unknown);
    for (const name of unknown) this.remember(folder, name, entries.get(name));
    let count = 0;
    for (const entry of known.values()) if (entry.holder === holder) count += 1;
    return count;
  }

  /** Returns the file names of all entries, except those that are known to have a holder and not to have expired. */
  async otherNames(folder: KindFolder, now: number): Promise<readonly string[]> {
    const { names, known } = await this.#update(folder);
    return names.filter((name) => {
      const entry = known.get(name);
      return entry?.holder === undefined || isExpired(entry, now);
    });
  }

  /** `entry` is undefined if its file can't be read. */
  remember({ path }: KindFolder, name: string, entry: Entry | undefined): void {
    this.#knownIn(path).set(name, { holder: entry && entryHolder(entry), expiresAt: entry?.expiresAt });
  }

  /** Lists the files, and forgets the entries that were removed. */
  async #update(folder: KindFolder) {
    const names = await folder.names();
    const known = this.#knownIn(folder.path);
    const existing = new Set(names);
    for (const name of known.keys()) if (!existing.has(name)) known.delete(name);
    return { names, known };
  }

  #knownIn(path: string): Map<string, HeldEntry> {
    const known = this.#known.get(path) ?? new Map<string, HeldEntry>();
    this.#known.set(path, known);
    return known;
  }
}
