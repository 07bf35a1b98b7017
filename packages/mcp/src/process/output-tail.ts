/** The last words of a stream, bounded, for errors to quote. A flood costs no more than a copy of its end. */

export class OutputTail {
  readonly #ring: Buffer;
  /** Where the next byte goes. */
  #at = 0;
  #cut = false;

  constructor(limitBytes = 4096) {
    this.#ring = Buffer.alloc(limitBytes);
  }

  push(chunk: Buffer | string): void {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    const limit = this.#ring.length;
    if (this.#at + bytes.length > limit) this.#cut = true;
    const end = bytes.subarray(-limit);
    const fits = end.copy(this.#ring, this.#at);
    end.copy(this.#ring, 0, fits);
    this.#at = this.#cut ? (this.#at + end.length) % limit : this.#at + end.length;
  }

  /** Without a first line that was cut, when there is more than one. */
  get text(): string {
    if (!this.#cut) return this.#ring.toString("utf8", 0, this.#at).trim();
    const bytes = Buffer.concat([this.#ring.subarray(this.#at), this.#ring.subarray(0, this.#at)]);
    const text = bytes.toString("utf8", firstCharacter(bytes)).trimEnd();
    return text.slice(text.indexOf("\n") + 1).trim();
  }
}

/** Where the first character begins that was not cut. */
function firstCharacter(bytes: Buffer): number {
  const start = bytes.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  return Math.max(start, 0);
}
