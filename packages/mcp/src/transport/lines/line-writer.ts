/**
 * Writes lines to a stream and waits when its buffer is full. Each write is expensive, so the lines of an event loop
 * turn are written together at its end. The first line of a turn is written immediately only if the turn before had at
 * most one line. This keeps the latency of single requests low.
 */
import type { Writable } from "node:stream";

/** A batch of this length is written before the end of the turn, so that the reader can start to read it. */
const FLUSH_LENGTH = 2048;

export class LineWriter {
  readonly #output: Writable;
  #batch = "";
  /** The number of lines in this turn, and in the last turn that had any. */
  #lines = 0;
  #linesBefore = 0;
  /** Resolves when the current batch has been written. */
  #batchWritten: Promise<void> | undefined;
  #resolveBatch: (() => void) | undefined;
  /** Resolves when the stream accepts data again. */
  #drained: Promise<void> | undefined;

  constructor(output: Writable) {
    this.#output = output;
  }

  /** Characters that have not been written yet. */
  get pendingLength(): number {
    return this.#output.writableLength + this.#batch.length;
  }

  /**
   * Returns undefined if the line was written immediately. Otherwise resolves when it has been written or the stream
   * has closed.
   */
  write(line: string): Promise<void> | undefined {
    this.#lines += 1;
    if (this.#lines === 1) {
      setImmediate(this.#endTurn);
      if (this.#linesBefore <= 1) return this.#writeNow(`${line}\n`);
    }
    this.#batch += `${line}\n`;
    this.#batchWritten ??= new Promise((resolve) => (this.#resolveBatch = resolve));
    const written = this.#batchWritten;
    if (this.#batch.length >= FLUSH_LENGTH) this.flush();
    return written;
  }

  readonly #endTurn = (): void => {
    this.#linesBefore = this.#lines;
    this.#lines = 0;
    this.flush();
  };

  /** Writes the current batch immediately. */
  flush(): void {
    const batch = this.#batch;
    const resolveBatch = this.#resolveBatch;
    if (!resolveBatch) return;
    this.#batch = "";
    this.#batchWritten = this.#resolveBatch = undefined;
    const drained = this.#writeNow(batch);
    if (drained) void drained.then(resolveBatch);
    else resolveBatch();
  }

  #writeNow(text: string): Promise<void> | undefined {
    if (!this.#output.writable || this.#output.write(text)) return undefined;
    return this.#untilDrained();
  }

  /** Shares one wait between all callers. */
  #untilDrained(): Promise<void> {
    const output = this.#output;
    this.#drained ??= new Promise((resolve) => {
      const done = () => {
        output.off("drain", done).off("close", done);
        this.#drained = undefined;
        resolve();
      };
      output.on("drain", done).on("close", done);
    });
    return this.#drained;
  }
}
