/**
 * Collects lines of text as bytes in one growing buffer, for the journal. It is faster than
 * strings: the garbage collector would have to copy them, and Node takes longer to convert a single
 * string to bytes than this class takes for a line.
 */
const FIRST_BYTES = 4 * 1024;
/** The maximum number of UTF-8 bytes for one UTF-16 unit of a string. */
const MAX_BYTES_PER_UNIT = 3;
/** Enough for any number. */
const NUMBER_BYTES = 32;

const ZERO = 0x30;
const POINT = 0x2e;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const TILDE = 0x7e;

export class LineBytes {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  text(text: string): void {
    this.#reserve(text.length * MAX_BYTES_PER_UNIT);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Adds a text that has only ASCII characters. */
  ascii(text: string): void {
    const { length } = text;
    this.#reserve(length);
    for (let index = 0; index < length; index++) this.#bytes[this.#length + index] = text.charCodeAt(index);
    this.#length += length;
  }

  /** Adds a text as a string of JSON. Fast for texts that need no escapes. */
  string(text: string): void {
    const start = this.#length;
    this.#reserve(text.length + 2);
    this.#bytes[this.#length++] = QUOTE;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit < SPACE || unit > TILDE || unit === QUOTE || unit === BACKSLASH) {
        this.#length = start;
        return this.text(JSON.stringify(text));
      }
      this.#bytes[this.#length++] = unit;
    }
    this.#bytes[this.#length++] = QUOTE;
  }

  add(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Adds a number. Adds 0 for NaN and the infinities, which JSON does not have. */
  number(value: number): void {
    if (!Number.isFinite(value)) return this.ascii("0");
    if (!Number.isSafeInteger(value) || value < 0) return this.text(String(value));
    this.#reserve(NUMBER_BYTES);
    this.#digits(value);
  }

  /** Adds milliseconds with at most three decimal places, such as `12.05`. */
  milliseconds(ms: number): void {
    const us = Number.isFinite(ms) ? Math.round(ms * 1000) : 0;
    const whole = Math.floor(us / 1000);
    this.number(us < 0 ? us / 1000 : whole);
    let rest = us - whole * 1000;
    if (us < 0 || rest === 0) return;
    this.#bytes[this.#length++] = POINT;
    for (let unit = 100; rest > 0; unit /= 10) {
      this.#bytes[this.#length++] = ZERO + Math.floor(rest / unit);
      rest %= unit;
    }
  }

  #digits(value: number): void {
    let end = this.#length + 1;
    for (let power = 10; power <= value; power *= 10) end += 1;
    this.#length = end;
    let rest = value;
    do {
      const tens = Math.floor(rest / 10);
      this.#bytes[--end] = ZERO + rest - tens * 10;
      rest = tens;
    } while (rest > 0);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
