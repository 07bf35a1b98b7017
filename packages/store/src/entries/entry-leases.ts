/**
 * Leases in an entry store. A lease is an entry without an expiry, because the wall clock may be changed. Each process
 * measures by its own steady clock for how long the entry has kept its version.
 */
import { steadyNow } from "@plugboard/contracts";
import type { Clock, JsonObject } from "@plugboard/contracts";
import type { Entry, EntryStore, EntryLease } from "./entry-store.ts";

export interface EntryLeasesOptions {
  readonly store: EntryStore;
  readonly clock: Clock;
  /** Returns the value of a lease's entry, which describes this process. */
  readonly holder: () => JsonObject;
  /** Whether the process that wrote this entry has certainly ended. Returns false in doubt. */
  readonly isHolderDead: (value: JsonObject) => boolean;
}

interface Sighting {
  readonly version: string;
  /** On the steady clock. */
  readonly since: number;
}

export class EntryLeases {
  readonly #options: EntryLeasesOptions;
  /** When this process saw the version of a lease for the first time. */
  readonly #sightings = new Map<string, Sighting>();

  constructor(options: EntryLeasesOptions) {
    this.#options = options;
  }

  async acquire(kind: string, key: string, ttlMs: number): Promise<EntryLease | undefined> {
    const { store, clock, holder } = this.#options;
    const current = await store.get(kind, key);
    if (!current) this.#sightings.delete(sightingKey(kind, key));
    if (current && !this.#isOver(kind, current, ttlMs)) return undefined;
    // The time of the lease begins before the write, so that this process never believes in it for too long.
    const since = steadyNow(clock);
    const condition = current ? { ifVersion: current.version } : { ifAbsent: true };
    const put = await store.put(kind, key, holder(), condition);
    if (!put.written) {
      if (put.current) this.#see(kind, put.current);
      return undefined;
    }
    this.#sightings.set(sightingKey(kind, key), { version: put.version, since });
    return this.#hold(kind, key, ttlMs, put.version, since);
  }

  #hold(kind: string, key: string, ttlMs: number, firstVersion: string, since: number): EntryLease {
    const { store, clock, holder } = this.#options;
    const lost = new AbortController();
    let version = firstVersion;
    let isReleased = false;
    const startTimer = (from: number) =>
      clock.after(Math.max(0, from + ttlMs - steadyNow(clock)), () => lost.abort(), { background: true });
    let cancelTimer = startTimer(since);
    const lose = () => {
      cancelTimer();
      lost.abort();
      return false;
    };
    return {
      lost: lost.signal,
      renew: async () => {
        if (isReleased || lost.signal.aborted) return false;
        const from = steadyNow(clock);
        const put = await store.put(kind, key, holder(), { ifVersion: version });
        if (!put.written) return lose();
        version = put.version;
        this.#sightings.set(sightingKey(kind, key), { version, since: from });
        // The write took so long that another process may have the lease by now.
        if (lost.signal.aborted) return false;
        cancelTimer();
        cancelTimer = startTimer(from);
        return true;
      },
      release: async () => {
        isReleased = true;
        cancelTimer();
        this.#sightings.delete(sightingKey(kind, key));
        await store.remove(kind, key, { ifVersion: version });
      },
    };
  }

  #isOver(kind: string, entry: Entry, ttlMs: number): boolean {
    const since = this.#see(kind, entry);
    return steadyNow(this.#options.clock) - since >= ttlMs || this.#options.isHolderDead(entry.value);
  }

  /** Returns when this process saw this version for the first time. */
  #see(kind: string, { key, version }: Entry): number {
    const known = this.#sightings.get(sightingKey(kind, key));
    if (known?.version === version) return known.since;
    const since = steadyNow(this.#options.clock);
    this.#sightings.set(sightingKey(kind, key), { version, since });
    return since;
  }
}

/** A kind has no space, so that each lease has a key of its own. */
function sightingKey(kind: string, key: string): string {
  return `${kind} ${key}`;
}
