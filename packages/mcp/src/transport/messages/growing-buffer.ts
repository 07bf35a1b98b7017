/** Bytes that arrive in pieces, copied into one buffer. The pieces themselves are not kept: a small one may hold a large block. */
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

  /** False if that would be over the limit; then nothing is added. */
  append(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#limit) return false;
    if (length > this.#bytes.length) this.#grow(length);
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
    return true;
  }

  /** Gives everything out and begins anew. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = EMPTY;
    this.#length = 0;
    return taken;
  }

  /** Doubles, and near the limit takes all of it: the outgrown buffers count too until they are collected. */
  #grow(needed: number): void {
    const doubled = Math.max(needed, this.#bytes.length * 2);
    const size = doubled > this.#limit / 4 ? this.#limit : doubled;
    const grown = Buffer.allocUnsafeSlow(size);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
