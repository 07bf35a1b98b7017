/** Entries in the memory of one process, for tests and for hosts without a state folder. */
import { Listeners, systemClock } from "@plugboard/contracts";
import type { Clock, JsonObject } from "@plugboard/contracts";
import {
  checkExpiry,
  checkKey,
  checkKind,
  entryHolder,
  isExpired,
  mayExceedMaxEntries,
  mayPut,
  shareUsedUp,
  tooManyEntries,
  toValueText,
} from "./check-entry.ts";
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

interface Kind {
  readonly entries: Map<string, Entry>;
  readonly listeners: Listeners<[EntryEvent]>;
}

const PLACE = "the memory of the host";

export class MemoryEntryStore implements EntryStore {
  readonly #clock: Clock;
  readonly #limits: EntryLimits;
  readonly #kinds = new Map<string, Kind>();
  readonly #leases: EntryLeases;
  #versions = 0;

  constructor({ clock = systemClock, limits = {} }: EntryStoreOptions = {}) {
    this.#clock = clock;
    this.#limits = { ...DEFAULT_ENTRY_LIMITS, ...limits };
    this.#leases = new EntryLeases({ store: this, clock, holder: () => ({}), isHolderDead: () => false });
  }

  async get(kind: string, key: string): Promise<Entry | undefined> {
    const { entries } = this.#kind(kind, key);
    const entry = entries.get(key);
    return entry && !isExpired(entry, this.#clock.now()) ? structuredClone(entry) : undefined;
  }

  async list(kind: string): Promise<Entry[]> {
    const now = this.#clock.now();
    return structuredClone([...this.#kind(kind).entries.values()].filter((entry) => !isExpired(entry, now)));
  }

  async put(kind: string, key: string, value: JsonObject, condition: PutCondition = {}): Promise<PutResult> {
    return this.#put(kind, key, value, condition);
  }

  #put(kind: string, key: string, value: JsonObject, condition: PutCondition, holder?: string): PutResult {
    const { entries, listeners } = this.#kind(kind, key);
    checkExpiry(condition);
    const text = toValueText(value, PLACE, this.#limits);
    this.#removeExpired(kind);
    const current = entries.get(key);
    if (!mayPut(current, condition)) return { written: false, current: structuredClone(current) };
    const isFull = entries.size >= this.#limits.maxEntries;
    if (!current && isFull && !mayExceedMaxEntries(holder)) throw tooManyEntries(PLACE, this.#limits);
    if (holder !== undefined) this.#checkShare(entries, holder);
    const version = String(++this.#versions);
    const { expiresAt } = condition;
    const stored = JSON.parse(text) as JsonObject;
    entries.set(key, { key, version, value: stored, ...(expiresAt !== undefined && { expiresAt }) });
    report(listeners, { type: "put", key, version });
    return { written: true, version };
  }

  async remove(kind: string, key: string, { ifVersion }: RemoveCondition = {}): Promise<boolean> {
    const { entries, listeners } = this.#kind(kind, key);
    this.#removeExpired(kind);
    const current = entries.get(key);
    if (!current || (ifVersion !== undefined && current.version !== ifVersion)) return false;
    entries.delete(key);
    report(listeners, { type: "removed", key, version: current.version });
    return true;
  }

  async once(kind: string, key: string, expiresAt: number, holder?: string): Promise<boolean> {
    if (isExpired({ expiresAt }, this.#clock.now())) return false;
    const value = holder === undefined ? {} : { holder };
    return this.#put(kind, key, value, { ifAbsent: true, expiresAt }, holder).written;
  }

  lease(kind: string, key: string, ttlMs: number): Promise<EntryLease | undefined> {
    return this.#leases.acquire(kind, key, ttlMs);
  }

  async events(kind: string, listener: (event: EntryEvent) => void): Promise<() => void> {
    return this.#kind(kind).listeners.add(listener);
  }

  #kind(kind: string, key?: string): Kind {
    checkKind(kind);
    if (key !== undefined) checkKey(key);
    const found = this.#kinds.get(kind) ?? { entries: new Map<string, Entry>(), listeners: new Listeners() };
    this.#kinds.set(kind, found);
    return found;
  }

  /** Throws STORE_UNWRITABLE if the holder has too many entries. */
  #checkShare(entries: ReadonlyMap<string, Entry>, holder: string): void {
    const held = [...entries.values()].filter((entry) => entryHolder(entry) === holder).length;
    if (held >= this.#limits.maxPerHolder) throw shareUsedUp(PLACE, this.#limits);
  }

  #removeExpired(kind: string): void {
    const { entries, listeners } = this.#kind(kind);
    const now = this.#clock.now();
    for (const entry of entries.values()) {
      if (!isExpired(entry, now)) continue;
      entries.delete(entry.key);
      report(listeners, { type: "removed", key: entry.key, version: entry.version });
    }
  }
}

/** Calls the listeners after the current task, because those of a file store are called later, too. */
function report(listeners: Listeners<[EntryEvent]>, event: EntryEvent): void {
  queueMicrotask(() => listeners.emit(event));
}
