/**
 * What resources were found to hold, for as long as their server says that it
 * is good. Of one connection alone: another may read as somebody else.
 */
import type { JsonObject } from "@plugboard/contracts";
import { steadyNow } from "../clock.ts";
import type { Clock } from "../clock.ts";

interface Kept {
  readonly result: JsonObject;
  readonly until: number;
  readonly characters: number;
}

const MAX_ENTRIES = 1000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

export class ReadCache {
  /** How often something was said to be no longer so: what was read before that may be of the past. */
  changes = 0;

  readonly #clock: Clock;
  /** In the order they were last read. */
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(uri: string): JsonObject | undefined {
    const kept = this.#kept.get(uri);
    if (!kept) return undefined;
    this.#kept.delete(uri);
    if (steadyNow(this.#clock) >= kept.until) {
      this.#characters -= kept.characters;
      return undefined;
    }
    this.#kept.set(uri, kept);
    return kept.result;
  }

  /** Keeps it if its server says for how long; tells whether it does. */
  put(uri: string, result: JsonObject): boolean {
    this.#forgetOne(uri);
    const { ttlMs } = result;
    if (typeof ttlMs !== "number" || !(ttlMs > 0)) return false;
    const characters = JSON.stringify(result).length;
    if (characters > MAX_CHARACTERS) return false;
    this.#kept.set(uri, { result, until: steadyNow(this.#clock) + ttlMs, characters });
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_ENTRIES && this.#characters <= MAX_CHARACTERS) break;
      this.#forgetOne(oldest);
    }
    return true;
  }

  /** What was updated may be a part of what is kept. */
  updated(uri: string): void {
    this.changes += 1;
    for (const kept of this.#kept.keys()) if (uri.startsWith(kept)) this.#forgetOne(kept);
  }

  clear(): void {
    this.changes += 1;
    this.#kept.clear();
    this.#characters = 0;
  }

  #forgetOne(uri: string): void {
    const kept = this.#kept.get(uri);
    if (!kept) return;
    this.#kept.delete(uri);
    this.#characters -= kept.characters;
  }
}
