/** Items that arrive over time, for one reader. Holds them until they are read. */
export class AsyncQueue<T> implements AsyncIterableIterator<T, undefined> {
  readonly #items: T[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  get ended(): boolean {
    return this.#end !== undefined;
  }

  push(item: T): void {
    if (this.ended) return;
    this.#items.push(item);
    this.#wake?.();
  }

  /** Ends the queue. The reader still gets the items, and then the error if there is one. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    while (this.#items.length === 0 && !this.#end) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    if (this.#items.length > 0) return { done: false, value: this.#items.shift()! };
    if (this.#end && "error" in this.#end) throw this.#end.error;
    return { done: true, value: undefined };
  }

  /** Called when the reader stops before the end. */
  async return(): Promise<IteratorResult<T, undefined>> {
    this.end();
    this.#items.length = 0;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
