/** Splits a byte stream into lines. */
import { GrowingBuffer } from "../messages/growing-buffer.ts";

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #limit: number;
  readonly #rest: GrowingBuffer;

  constructor(limit: number) {
    this.#limit = limit;
    this.#rest = new GrowingBuffer(limit);
  }

  /** Returns false once a line is over the limit. Nothing can be read after that. */
  push(chunk: Buffer, onLine: (line: Buffer) => void): boolean {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const line = this.#completeLine(chunk.subarray(from, at));
      if (!line) return false;
      from = at + 1;
      onLine(line);
    }
    return from === chunk.length || this.#rest.append(chunk.subarray(from));
  }

  /** Does not copy a line that arrived in one chunk. */
  #completeLine(end: Buffer): Buffer | undefined {
    if (this.#rest.length === 0) return end.length > this.#limit ? undefined : end;
    return this.#rest.append(end) ? this.#rest.take() : undefined;
  }
}
