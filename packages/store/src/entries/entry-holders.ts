/**
 * Counts the entries that `once` of an entry store has written for a holder. Reads each file only once: its name stands
 * for one key, and a key belongs to one holder.
 */
import { isHostError } from "@plugboard/contracts";
import { entryHolder } from "./check-entry.ts";
import type { KindFolder } from "./kind-folder.ts";

export class EntryHolders {
  /** For each folder, the holder by file name. The holder is undefined for an entry without one. */
  readonly #known = new Map<string, ReadonlyMap<string, string | undefined>>();

  /** Also counts expired entries. Expects that the caller holds the lock of the kind. */
  async count(folder: KindFolder, holder: string): Promise<number> {
    const known = this.#known.get(folder.path);
    const holders = new Map<string, string | undefined>();
    let count = 0;
    for (const name of await folder.names()) {
      const found = known?.has(name) ? known.get(name) : await readHolder(folder, name);
      holders.set(name, found);
      if (found === holder) count += 1;
    }
    this.#known.set(folder.path, holders);
    return count;
  }
}

/** Returns undefined if the file can't be read. It then counts only for the limit of the kind. */
async function readHolder(folder: KindFolder, name: string): Promise<string | undefined> {
  try {
    const entry = await folder.read(name);
    return entry && entryHolder(entry);
  } catch (error) {
    if (isHostError(error)) return undefined;
    throw error;
  }
}
