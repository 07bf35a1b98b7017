/**
 * The lines of the journal that wait for the disk. They are bytes, so that they are no objects that the garbage collector
 * has to copy.
 */
const FIRST_BYTES = 4 * 1024;
/** No character takes more bytes in UTF-8, in proportion to its length in UTF-16. */
const MAX_BYTES_PER_UNIT = 3;

export class JournalBatch {
  lines = 0;
  /** True if it is being written, so that nothing may be added. */
  isSealed = false;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** `line` ends with a line break. */
  add(line: string): void {
    const needed = this.#length + line.length * MAX_BYTES_PER_UNIT;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += this.#bytes.write(line, this.#length);
    this.lines += 1;
  }
}
