/** Both implementations of entry stores. Each opens the same entries twice, as two processes would. */
import { join } from "node:path";
import { FileEntryStore } from "#entries/file-entry-store.js";
import type { EntryLimits, EntryStore } from "#entries/entry-store.js";
import { MemoryEntryStore } from "#entries/memory-entry-store.js";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { temporaryFolder } from "./run-child.ts";

export interface OpenedStores {
  readonly clock: ManualClock;
  readonly store: EntryStore;
  /** A second store with the same entries. */
  readonly other: EntryStore;
}

export const storeKinds: [string, (limits?: Partial<EntryLimits>) => Promise<OpenedStores>][] = [
  [
    "FileEntryStore",
    async (limits) => {
      const folder = join(await temporaryFolder(), "entries");
      const clock = new ManualClock();
      const open = () => new FileEntryStore(folder, { clock, limits });
      return { clock, store: open(), other: open() };
    },
  ],
  [
    "MemoryEntryStore",
    async (limits) => {
      const clock = new ManualClock();
      const store = new MemoryEntryStore({ clock, limits });
      return { clock, store, other: store };
    },
  ],
];
