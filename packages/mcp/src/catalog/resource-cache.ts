/**
 * Caches the contents of resources until the server's ttl has passed. Each connection has its own cache, because
 * another login may read other contents.
 */
import type { JsonObject, Clock } from "@plugboard/contracts";
import { steadyNow } from "@plugboard/contracts";

interface CacheEntry {
  readonly result: JsonObject;
  readonly expiresAt: number;
  readonly characters: number;
}

const MAX_ENTRIES = 1000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

export class ResourceCache {
  /** Counts the invalidations, so that a read that began before an invalidation is not cached. */
  invalidations = 0;

  readonly #clock: Clock;
  /** By URI, the least recently read first. */
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

  /** Returns false if the result has no ttl or is too large for the cache. */
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

  /** Removes the updated resource and the cached resources that contain it: those whose URI is a prefix of its URI. */
  invalidate(uri: string): void {
    this.invalidations += 1;
    for (const cachedUri of this.#entries.keys()) if (uri.startsWith(cachedUri)) this.#delete(cachedUri);
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
