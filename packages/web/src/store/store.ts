/** A value that components follow. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  update(change: (value: T) => T): void {
    const next = change(this.#value);
    if (next === this.#value) return;
    this.#value = next;
    for (const listener of this.#listeners) listener();
  }
}
