/** Keeps the last bytes of a stream, for error messages. Uses a fixed amount of memory. */

export class OutputTail {
  readonly #ring: Buffer;
  /** Index of the next byte. */
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

  /** Drops the first line if it was truncated and is not the only one. */
  get text(): string {
    if (!this.#truncated) return this.#ring.toString("utf8", 0, this.#position).trim();
    const bytes = Buffer.concat([this.#ring.subarray(this.#position), this.#ring.subarray(0, this.#position)]);
    const text = bytes.toString("utf8", firstCharacterStart(bytes)).trimEnd();
    return text.slice(text.indexOf("\n") + 1).trim();
  }
}

/** Returns the index of the first character that was not truncated. */
function firstCharacterStart(bytes: Buffer): number {
  const start = bytes.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  return Math.max(start, 0);
}
