/** Keeps the beginning and the end of an output of any length, in a fixed amount of memory. */

export class BoundedOutput {
  readonly #limit: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #leftOutBytes = 0;

  /** Keeps up to `limitBytes` at the beginning, and as many at the end. */
  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  push(chunk: Buffer): void {
    const forHead = chunk.subarray(0, this.#limit - this.#headBytes);
    if (forHead.length > 0) this.#head.push(forHead);
    this.#headBytes += forHead.length;
    const rest = chunk.subarray(forHead.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    if (this.#tailBytes > 2 * this.#limit) this.#trimTail();
  }

  /** The kept output, with a note where a part was left out. */
  get text(): string {
    this.#trimTail();
    if (this.#leftOutBytes === 0) return Buffer.concat([...this.#head, ...this.#tail]).toString("utf8");
    const note = `\n[… ${this.#leftOutBytes} bytes omitted …]\n`;
    return `${Buffer.concat(this.#head).toString("utf8")}${note}${Buffer.concat(this.#tail).toString("utf8")}`;
  }

  #trimTail(): void {
    const excess = this.#tailBytes - this.#limit;
    if (excess <= 0) return;
    this.#tail = [Buffer.concat(this.#tail).subarray(excess)];
    this.#tailBytes = this.#limit;
    this.#leftOutBytes += excess;
  }
}
