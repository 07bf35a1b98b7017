/** Writes a value that changes often, one write at a time. All changes during a write are stored by the next write. */
export class RepeatedWrite {
  readonly #write: () => Promise<void>;
  readonly #onError: (thrown: unknown) => void;
  #running: Promise<void> = Promise.resolve();
  /** The write that has not begun yet. */
  #next: Promise<void> | undefined;

  /** `write` stores the value of the moment at which it is called. */
  constructor(write: () => Promise<void>, onError: (thrown: unknown) => void) {
    this.#write = write;
    this.#onError = onError;
  }

  /** Resolves when the value of this moment, or a later one, is stored, or if the write has failed. Never rejects. */
  request(): Promise<void> {
    this.#next ??= this.#running.then(() => this.#begin());
    return this.#next;
  }

  async #begin(): Promise<void> {
    this.#running = this.#next!;
    this.#next = undefined;
    try {
      await this.#write();
    } catch (thrown) {
      this.#onError(thrown);
    }
  }
}
