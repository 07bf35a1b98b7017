/**
 * Entries in files that several processes share. One process at a time writes the entries of a kind; reading needs no
 * lock. Reading a file that is damaged, or written by a newer version, throws STORE_UNREADABLE. Such a file is never
 * overwritten.
 */
import { isJsonObject, steadyNow, systemClock } from "@plugboard/contracts";
import type { Clock, JsonObject } from "@plugboard/contracts";
import { withLock } from "../files/file-lock.ts";
import { currentProcessHolder, isHolderDead, parseHolder } from "../files/lock-holder.ts";
import {
  checkExpiry,
  checkKey,
  checkKind,
  isExpired,
  mayExceedMaxEntries,
  mayPut,
  shareUsedUp,
  tooManyEntries,
  toValueText,
} from "./check-entry.ts";
import { watchEntries } from "./entry-events.ts";
import { EntryLeases } from "./entry-leases.ts";
import { DEFAULT_ENTRY_LIMITS } from "./entry-store.ts";
import type {
  Entry,
  EntryEvent,
  EntryLimits,
  EntryStore,
  EntryStoreOptions,
  EntryLease,
  PutCondition,
  PutResult,
  RemoveCondition,
} from "./entry-store.ts";
import { HeldEntries } from "./held-entries.ts";
import { KindFolder } from "./kind-folder.ts";

/** Long, because looking for expired entries reads the files of all entries without a holder. */
const CLEANUP_INTERVAL_MS = 60_000;

export class FileEntryStore implements EntryStore {
  readonly #root: string;
  readonly #clock: Clock;
  readonly #limits: EntryLimits;
  readonly #leases: EntryLeases;
  /** When this process last removed the expired entries of a kind, on the steady clock. */
  readonly #cleanedAt = new Map<string, number>();
  readonly #held = new HeldEntries();

  /** The folder is created with the first entry. */
  constructor(folder: string, { clock = systemClock, limits = {} }: EntryStoreOptions = {}) {
    this.#root = folder;
    this.#clock = clock;
    this.#limits = { ...DEFAULT_ENTRY_LIMITS, ...limits };
    this.#leases = new EntryLeases({
      store: this,
      clock,
      holder: () => ({ holder: { ...currentProcessHolder(NO_TOKEN) } }),
      isHolderDead: isProcessDead,
    });
  }

  async get(kind: string, key: string): Promise<Entry | undefined> {
    const folder = this.#folder(kind, key);
    return this.#unexpired(await folder.read(folder.nameOf(key)));
  }

  async list(kind: string): Promise<Entry[]> {
    const entries = await this.#folder(kind).readAll((error) => {
      throw error;
    });
    return [...entries.values()].filter((entry) => this.#unexpired(entry));
  }

  put(kind: string, key: string, value: JsonObject, condition: PutCondition = {}): Promise<PutResult> {
    return this.#put(kind, key, value, condition);
  }

  async #put(
    kind: string,
    key: string,
    value: JsonObject,
    condition: PutCondition,
    holder?: string,
  ): Promise<PutResult> {
    const folder = this.#folder(kind, key);
    checkExpiry(condition);
    toValueText(value, folder.path, this.#limits);
    await folder.create();
    return this.#locked(folder, async () => {
      await this.#cleanUp(kind, folder);
      const stored = await folder.read(folder.nameOf(key));
      const current = this.#unexpired(stored);
      if (!mayPut(current, condition)) return { written: false, current };
      if (!stored && !mayExceedMaxEntries(holder)) await this.#makeRoom(folder);
      if (holder !== undefined) await this.#makeRoomInShare(folder, holder);
      const { expiresAt } = condition;
      const version = crypto.randomUUID();
      const entry = { key, version, value, expiresAt };
      await folder.write(entry);
      if (holder !== undefined) this.#held.remember(folder, folder.nameOf(key), entry);
      return { written: true, version };
    });
  }

  async remove(kind: string, key: string, { ifVersion }: RemoveCondition = {}): Promise<boolean> {
    const folder = this.#folder(kind, key);
    const name = folder.nameOf(key);
    if (!(await folder.read(name))) return false;
    return this.#locked(folder, async () => {
      const current = this.#unexpired(await folder.read(name));
      if (!current || (ifVersion !== undefined && current.version !== ifVersion)) return false;
      await folder.remove([name]);
      return true;
    });
  }

  async once(kind: string, key: string, expiresAt: number, holder?: string): Promise<boolean> {
    if (isExpired({ expiresAt }, this.#clock.now())) return false;
    const value = holder === undefined ? {} : { holder };
    return (await this.#put(kind, key, value, { ifAbsent: true, expiresAt }, holder)).written;
  }

  lease(kind: string, key: string, ttlMs: number): Promise<EntryLease | undefined> {
    return this.#leases.acquire(kind, key, ttlMs);
  }

  events(kind: string, listener: (event: EntryEvent) => void): Promise<() => void> {
    return watchEntries(this.#folder(kind), (entry) => !isExpired(entry, this.#clock.now()), listener);
  }

  /** The lock file is beside the folder, so that `events` does not take it for a change in the folder. */
  #locked<T>(folder: KindFolder, work: () => Promise<T>): Promise<T> {
    return withLock(folder.path, work);
  }

  /** Removes expired entries, at most once a minute. */
  async #cleanUp(kind: string, folder: KindFolder): Promise<void> {
    const now = steadyNow(this.#clock);
    const cleanedAt = this.#cleanedAt.get(kind);
    if (cleanedAt !== undefined && now - cleanedAt < CLEANUP_INTERVAL_MS) return;
    this.#cleanedAt.set(kind, now);
    await folder.removeTempFiles();
    await this.#removeExpired(folder);
  }

  /** Throws STORE_UNWRITABLE if there are too many entries that have not expired. */
  async #makeRoom(folder: KindFolder): Promise<void> {
    const { maxEntries } = this.#limits;
    if ((await folder.names()).length < maxEntries) return;
    await this.#removeExpired(folder);
    if ((await folder.names()).length >= maxEntries) throw tooManyEntries(folder.path, this.#limits);
  }

  /** Throws STORE_UNWRITABLE if the holder has too many entries that have not expired. */
  async #makeRoomInShare(folder: KindFolder, holder: string): Promise<void> {
    const { maxPerHolder } = this.#limits;
    if ((await this.#held.count(folder, holder)) < maxPerHolder) return;
    await this.#removeExpired(folder);
    if ((await this.#held.count(folder, holder)) >= maxPerHolder) throw shareUsedUp(folder.path, this.#limits);
  }

  /** Leaves files alone that can't be read. Does not read those that are known not to have expired. */
  async #removeExpired(folder: KindFolder): Promise<void> {
    const now = this.#clock.now();
    const entries = await folder.readAll(() => {}, await this.#held.otherNames(folder, now));
    for (const [name, entry] of entries) this.#held.remember(folder, name, entry);
    await folder.remove([...entries].filter(([, entry]) => isExpired(entry, now)).map(([name]) => name));
  }

  #unexpired(entry: Entry | undefined): Entry | undefined {
    return entry && !isExpired(entry, this.#clock.now()) ? entry : undefined;
  }

  #folder(kind: string, key?: string): KindFolder {
    checkKind(kind);
    if (key !== undefined) checkKey(key);
    return new KindFolder(this.#root, kind);
  }
}

/** A holder needs the token of a lock. It has no meaning here, because a lease is identified by its version. */
const NO_TOKEN = "0".repeat(16);

function isProcessDead({ holder }: JsonObject): boolean {
  const parsed = isJsonObject(holder) ? parseHolder(JSON.stringify(holder)) : undefined;
  return parsed !== undefined && isHolderDead(parsed);
}
