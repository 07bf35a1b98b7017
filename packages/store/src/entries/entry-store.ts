/**
 * Small entries that several processes, and later several machines, share: the interface of files, of memory and of a
 * database. An entry has a kind, a key and a version. A writer that names the version it has read can't overwrite the
 * change of another one.
 */
import type { Clock, JsonObject } from "@plugboard/contracts";

export interface EntryStore {
  /** Returns undefined if there is no such entry, or if it has expired. */
  get(kind: string, key: string): Promise<Entry | undefined>;
  /** Returns the entries of a kind that have not expired, in no particular order. */
  list(kind: string): Promise<Entry[]>;
  /**
   * Writes an entry if the condition holds. A lost race is a result, because the writer expects it and has to read the
   * entry again. Throws STORE_UNWRITABLE if the value is too large or the kind has too many entries.
   */
  put(kind: string, key: string, value: JsonObject, condition?: PutCondition): Promise<PutResult>;
  /** Returns false if there is no such entry, or if it has another version than `ifVersion`. */
  remove(kind: string, key: string, condition?: RemoveCondition): Promise<boolean>;
  /**
   * Returns true the first time, to one of all callers, and false until `expiresAt`. Returns false if that time is over.
   * `expiresAt` is wall-clock time. Throws STORE_UNWRITABLE if the kind, or the share of the holder, has too many entries.
   */
  once(kind: string, key: string, expiresAt: number, holder?: string): Promise<boolean>;
  /**
   * Returns undefined while another holder has the lease. A lease ends `ttlMs` after its last renewal, measured by the
   * steady clock of each process. A process can take over the lease of a holder that has not renewed it for this long
   * since the process first saw it, so it may have to try for `ttlMs`.
   */
  lease(kind: string, key: string, ttlMs: number): Promise<EntryLease | undefined>;
  /**
   * Calls the listener for each change after the promise has resolved, by this process or another one. Quick changes of
   * one entry are combined. An expired entry is reported when it is removed. Returns the function that stops it.
   */
  events(kind: string, listener: (event: EntryEvent) => void): Promise<() => void>;
}

export interface Entry {
  readonly key: string;
  /** Differs from that of every other write, also if the entry was removed and written again. */
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
  /** The number of entries of one kind. */
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
