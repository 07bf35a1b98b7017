/** Collects chunks in one buffer. Copies them, because a small chunk may keep a large block of memory alive. */
const EMPTY = Buffer.alloc(0);

export class GrowingBuffer {
  readonly #limit: number;
  #bytes: Buffer = EMPTY;
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns false and adds nothing if the total would be over the limit. */
  append(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#limit) return false;
    if (length > this.#bytes.length) this.#grow(length);
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
    return true;
  }

  /** Returns all bytes and empties the buffer. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = EMPTY;
    this.#length = 0;
    return taken;
  }

  /**
   * Doubles the size. Near the limit it allocates the whole limit, because replaced buffers use memory until the garbage
   * collector frees them.
   */
  #grow(needed: number): void {
    const doubled = Math.max(needed, this.#bytes.length * 2);
    const size = doubled > this.#limit / 4 ? this.#limit : doubled;
    const grown = Buffer.allocUnsafeSlow(size);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
