/**
 * A table of pending requests, indexed by the lowest bits of their consecutive ids. Faster than a `Map`, which keeps
 * deleted entries alive for a long time when entries are added and deleted constantly.
 */
import type { RequestId } from "./message.ts";

const INITIAL_SIZE = 64;
const MAX_SIZE = 2048;

export class RequestTable<T extends object> {
  #ids = emptyIds(INITIAL_SIZE);
  #values = emptyValues<T>(INITIAL_SIZE);
  /** Entries whose slot is taken by an older request. */
  readonly #overflow = new Map<number, T>();
  #usedSlots = 0;

  get size(): number {
    return this.#usedSlots + this.#overflow.size;
  }

  /** Returns undefined for a string id, even if it spells the number of an entry. */
  get(id: RequestId): T | undefined {
    if (typeof id !== "number") return undefined;
    const index = id & (this.#ids.length - 1);
    if (this.#ids[index] === id) return this.#values[index];
    return this.#overflow.size > 0 ? this.#overflow.get(id) : undefined;
  }

  /** The id must be at least 1. */
  set(id: number, value: T): void {
    let index = id & (this.#ids.length - 1);
    while (this.#ids[index] !== 0 && this.#ids.length < MAX_SIZE) {
      this.#grow();
      index = id & (this.#ids.length - 1);
    }
    if (this.#ids[index] === 0) this.#fill(index, id, value);
    else this.#overflow.set(id, value);
  }

  delete(id: number): boolean {
    const index = id & (this.#ids.length - 1);
    // Zero marks an empty slot.
    if (this.#ids[index] !== id || id === 0) return this.#overflow.delete(id);
    this.#ids[index] = 0;
    this.#values[index] = undefined;
    this.#usedSlots -= 1;
    return true;
  }

  /** Returns the values, oldest first. */
  values(): T[] {
    const all: [number, T][] = [...this.#overflow];
    this.#values.forEach((value, index) => value && all.push([this.#ids[index]!, value]));
    return all.toSorted(([a], [b]) => a - b).map(([, value]) => value);
  }

  clear(): void {
    this.#ids.fill(0);
    this.#values.fill(undefined);
    this.#overflow.clear();
    this.#usedSlots = 0;
  }

  #fill(index: number, id: number, value: T): void {
    this.#ids[index] = id;
    this.#values[index] = value;
    this.#usedSlots += 1;
  }

  /** Doubles the table. Entries with different slots keep different slots. */
  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    this.#ids = emptyIds(ids.length * 2);
    this.#values = emptyValues<T>(ids.length * 2);
    this.#usedSlots = 0;
    ids.forEach((id, index) => id !== 0 && this.#fill(id & (this.#ids.length - 1), id, values[index]!));
  }
}

function emptyIds(size: number): number[] {
  return Array.from({ length: size }, () => 0);
}

function emptyValues<T>(size: number): (T | undefined)[] {
  return Array.from({ length: size }, () => undefined);
}
