/** A set of callbacks that are called with the same arguments on each event. */
export class Listeners<Args extends readonly unknown[] = []> {
  readonly #listeners = new Set<(...args: Args) => void>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Returns a function that removes the listener. */
  add(listener: (...args: Args) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Skips listeners that are added or removed while it runs. */
  emit(...args: Args): void {
    for (const listener of [...this.#listeners]) {
      if (this.#listeners.has(listener)) listener(...args);
    }
  }
}
