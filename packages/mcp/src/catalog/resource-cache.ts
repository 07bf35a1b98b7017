/**
 * What resources were found to hold, for as long as their server says that it
 * is good. Of one connection alone: another may read as somebody else.
 */
import type { JsonObject } from "@plugboard/contracts";
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";

interface CacheEntry {
  readonly result: JsonObject;
  readonly expiresAt: number;
  readonly characters: number;
}

const MAX_ENTRIES = 1000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

export class ResourceCache {
  /** How often something was said to be no longer so: what was read before that may be of the past. */
  invalidations = 0;

  readonly #clock: Clock;
  /** In the order they were last read. */
  readonly #entries = new Map<string, CacheEntry>();
  #characters = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(uri: string): JsonObject | undefined {
    const entry = this.#entries.get(uri);
    if (!entry) return undefined;
    this.#entries.delete(uri);
    if (steadyNow(this.#clock) >= entry.expiresAt) {
      this.#characters -= entry.characters;
      return undefined;
    }
    this.#entries.set(uri, entry);
    return entry.result;
  }

  /** Keeps it if its server says for how long; tells whether it does. */
  set(uri: string, result: JsonObject): boolean {
    this.#delete(uri);
    const { ttlMs } = result;
    if (typeof ttlMs !== "number" || !(ttlMs > 0)) return false;
    const characters = JSON.stringify(result).length;
    if (characters > MAX_CHARACTERS) return false;
    this.#entries.set(uri, { result, expiresAt: steadyNow(this.#clock) + ttlMs, characters });
    this.#characters += characters;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES && this.#characters <= MAX_CHARACTERS) break;
      this.#delete(oldest);
    }
    return true;
  }

  /** What was updated may be a part of what is kept. */
  invalidate(uri: string): void {
    this.invalidations += 1;
    for (const kept of this.#entries.keys()) if (uri.startsWith(kept)) this.#delete(kept);
  }

  clear(): void {
    this.invalidations += 1;
    this.#entries.clear();
    this.#characters = 0;
  }

  #delete(uri: string): void {
    const entry = this.#entries.get(uri);
    if (!entry) return;
    this.#entries.delete(uri);
    this.#characters -= entry.characters;
  }
}
