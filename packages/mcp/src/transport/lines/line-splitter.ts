/** Splits a byte stream into lines. */
import { GrowingBuffer } from "../messages/growing-buffer.ts";

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #limit: number;
  /** The start of a line whose end has not arrived. */
  #partialLine: GrowingBuffer | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns false once a line is over the limit. Do not call it again after that. */
  push(chunk: Buffer, onLine: (line: Buffer) => void): boolean {
    let lineStart = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, lineStart)) {
      const line = this.#completeLine(chunk.subarray(lineStart, end));
      if (!line) return false;
      lineStart = end + 1;
      onLine(line);
    }
    if (lineStart === chunk.length) return true;
    return (this.#partialLine ??= new GrowingBuffer(this.#limit)).append(chunk.subarray(lineStart));
  }

  /** Returns undefined if the line is over the limit. Does not copy a line that arrived in one chunk. */
  #completeLine(rest: Buffer): Buffer | undefined {
    if (!this.#partialLine?.length) return rest.length > this.#limit ? undefined : rest;
    return this.#partialLine.append(rest) ? this.#partialLine.take() : undefined;
  }
}
