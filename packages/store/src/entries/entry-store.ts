/**
 * The interface of a store for small JSON entries that several processes share. Files and memory implement it. A
 * database could, for several machines. An entry has a kind, a key and a version. A writer that names the version it
 * has read can't overwrite the change of another writer.
 */
import type { Clock, JsonObject } from "@plugboard/contracts";

export interface EntryStore {
  /** Returns undefined if there is no such entry, or if it has expired. */
  get(kind: string, key: string): Promise<Entry | undefined>;
  /** Returns the entries of a kind that have not expired, in no particular order. */
  list(kind: string): Promise<Entry[]>;
  /**
   * Writes an entry if the condition holds. A lost race is a result and no error: the writer expects it, and has to
   * read the entry again. Throws STORE_UNWRITABLE if the value is too large or the kind has too many entries.
   */
  put(kind: string, key: string, value: JsonObject, condition?: PutCondition): Promise<PutResult>;
  /** Returns false if there is no such entry, or if it has another version than `ifVersion`. */
  remove(kind: string, key: string, condition?: RemoveCondition): Promise<boolean>;
  /**
   * Lets something happen once: returns true to the first of all callers, and false to all others until `expiresAt`, a
   * wall-clock time. Also returns false if that time is already over. Throws STORE_UNWRITABLE if the kind has too many
   * entries, or too many of this holder. Only the latter applies to the owner.
   */
  once(kind: string, key: string, expiresAt: number, holder?: string): Promise<boolean>;
  /**
   * Returns undefined while another holder has the lease. A lease ends `ttlMs` after its last renewal. Each process
   * measures this by its own steady clock, from the moment when it first sees the renewal. So a process may have to try
   * for `ttlMs` before it can take over the lease of another holder.
   */
  lease(kind: string, key: string, ttlMs: number): Promise<EntryLease | undefined>;
  /**
   * Once the promise has resolved, calls the listener for each change, whichever process made it. Quick changes of one
   * entry are combined. An expired entry is reported when it is removed. Resolves with the function that stops the
   * calls.
   */
  events(kind: string, listener: (event: EntryEvent) => void): Promise<() => void>;
}

export interface Entry {
  readonly key: string;
  /** New for each write, even if the entry was removed and is written again with the same value. */
  readonly version: string;
  readonly value: JsonObject;
  /** Wall-clock time. Without it, the entry does not expire. */
  readonly expiresAt?: number | undefined;
}

export interface PutCondition {
  /** Writes only if the entry has this version. */
  readonly ifVersion?: string | undefined;
  /** Writes only if there is no such entry. */
  readonly ifAbsent?: boolean | undefined;
  /** The expiry of the new entry, in wall-clock time. Not a condition. */
  readonly expiresAt?: number | undefined;
}

export type PutResult =
  | { readonly written: true; readonly version: string }
  | {
      readonly written: false;
      /** The entry that is there instead. */
      readonly current: Entry | undefined;
    };

export interface RemoveCondition {
  readonly ifVersion?: string | undefined;
}

export interface EntryEvent {
  readonly type: "put" | "removed";
  readonly key: string;
  /** The version that was written or removed. */
  readonly version: string;
}

export interface EntryLease {
  /** Aborts when the lease has ended without `release`: it was not renewed in time, or another holder has it. */
  readonly lost: AbortSignal;
  /** Returns false, and aborts `lost`, if another holder has the lease. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

export interface EntryStoreOptions {
  readonly clock?: Clock | undefined;
  readonly limits?: Partial<EntryLimits> | undefined;
}

export interface EntryLimits {
  /** The number of entries of one kind. Entries that `once` has written for the owner may exceed it. */
  readonly maxEntries: number;
  /** The number of entries of one kind that `once` has written for one holder. So no holder can use up all of them. */
  readonly maxPerHolder: number;
  /** The size of one value as JSON. */
  readonly maxValueBytes: number;
}

export const DEFAULT_ENTRY_LIMITS: EntryLimits = {
  maxEntries: 10_000,
  maxPerHolder: 2000,
  maxValueBytes: 256 * 1024,
};
