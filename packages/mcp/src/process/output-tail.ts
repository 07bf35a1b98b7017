/** The last words of a stream, bounded, for errors to quote. A flood costs no more than a copy of its end. */

export class OutputTail {
  readonly #ring: Buffer;
  /** Where the next byte goes. */
  #position = 0;
  #truncated = false;

  constructor(limitBytes = 4096) {
    this.#ring = Buffer.alloc(limitBytes);
  }

  push(chunk: Buffer | string): void {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    const limit = this.#ring.length;
    if (this.#position + bytes.length > limit) this.#truncated = true;
    const end = bytes.subarray(-limit);
    const fits = end.copy(this.#ring, this.#position);
    end.copy(this.#ring, 0, fits);
    this.#position = this.#truncated ? (this.#position + end.length) % limit : this.#position + end.length;
  }

  /** Without a first line that was cut, when there is more than one. */
  get text(): string {
    if (!this.#truncated) return this.#ring.toString("utf8", 0, this.#position).trim();
    const bytes = Buffer.concat([this.#ring.subarray(this.#position), this.#ring.subarray(0, this.#position)]);
    const text = bytes.toString("utf8", firstCharacterStart(bytes)).trimEnd();
    return text.slice(text.indexOf("\n") + 1).trim();
  }
}

/** Where the first character begins that was not cut. */
function firstCharacterStart(bytes: Buffer): number {
  const start = bytes.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  return Math.max(start, 0);
}
