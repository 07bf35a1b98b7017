/**
 * What waits under a number that was counted up: a table by the last digits of
 * the number. A `Map` that is added to and deleted from all the time keeps what
 * it held alive for long, and that garbage costs more than all the rest of a call.
 */
import type { RequestId } from "./message.ts";

const FIRST_SIZE = 64;
const LARGEST_SIZE = 2048;

export class Slots<T extends object> {
  #ids = emptyIds(FIRST_SIZE);
  #values = noValues<T>(FIRST_SIZE);
  /** Those whose slot is taken, by one that has waited for long. */
  readonly #others = new Map<number, T>();
  #taken = 0;

  get size(): number {
    return this.#taken + this.#others.size;
  }

  /** A text is never the number it spells. */
  get(id: RequestId): T | undefined {
    if (typeof id !== "number") return undefined;
    const at = id & (this.#ids.length - 1);
    return this.#ids[at] === id ? this.#values[at] : this.#others.size > 0 ? this.#others.get(id) : undefined;
  }

  /** Numbers begin at one. */
  set(id: number, value: T): void {
    let at = id & (this.#ids.length - 1);
    while (this.#ids[at] !== 0 && this.#ids.length < LARGEST_SIZE) {
      this.#grow();
      at = id & (this.#ids.length - 1);
    }
    if (this.#ids[at] === 0) this.#put(at, id, value);
    else this.#others.set(id, value);
  }

  delete(id: number): boolean {
    const at = id & (this.#ids.length - 1);
    // Zero is what an empty slot has.
    if (this.#ids[at] !== id || id === 0) return this.#others.delete(id);
    this.#ids[at] = 0;
    this.#values[at] = undefined;
    this.#taken -= 1;
    return true;
  }

  /** The longest waiting first. */
  values(): T[] {
    const all: [number, T][] = [...this.#others];
    this.#values.forEach((value, at) => value && all.push([this.#ids[at]!, value]));
    return all.toSorted(([a], [b]) => a - b).map(([, value]) => value);
  }

  clear(): void {
    this.#ids.fill(0);
    this.#values.fill(undefined);
    this.#others.clear();
    this.#taken = 0;
  }

  #put(at: number, id: number, value: T): void {
    this.#ids[at] = id;
    this.#values[at] = value;
    this.#taken += 1;
  }

  /** Two that had slots of their own have so in a larger table too. */
  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    this.#ids = emptyIds(ids.length * 2);
    this.#values = noValues<T>(ids.length * 2);
    this.#taken = 0;
    ids.forEach((id, at) => id !== 0 && this.#put(id & (this.#ids.length - 1), id, values[at]!));
  }
}

function emptyIds(size: number): number[] {
  return Array.from({ length: size }, () => 0);
}

function noValues<T>(size: number): (T | undefined)[] {
  return Array.from({ length: size }, () => undefined);
}
