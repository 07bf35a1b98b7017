/** Cuts a byte stream into lines. Bytes are joined once per line, however many chunks it came in. */

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns false once a line is over the limit; nothing can be read after that. */
  push(chunk: Buffer, onLine: (line: Buffer) => void): boolean {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const part = chunk.subarray(from, at);
      from = at + 1;
      if (this.#size + part.length > this.#limit) return false;
      onLine(this.#take(part));
    }
    if (from < chunk.length) {
      this.#parts.push(from === 0 ? chunk : chunk.subarray(from));
      this.#size += chunk.length - from;
    }
    return this.#size <= this.#limit;
  }

  #take(last: Buffer): Buffer {
    if (this.#parts.length === 0) return last;
    this.#parts.push(last);
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    return line;
  }
}
