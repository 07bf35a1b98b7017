/**
 * Lines for somebody who reads at his own pace. The first of a turn of the event
 * loop goes out at once, since somebody may wait for nothing else; what is written
 * after it in the same turn goes out in few pieces: a write costs more than a message.
 */
import type { Writable } from "node:stream";

/** A piece of so many characters is not kept until the end of the turn: its reader can be at it meanwhile. */
const FLUSH_LENGTH = 2048;

export class LineWriter {
  readonly #output: Writable;
  #batch = "";
  /** Whether something was written in this turn. */
  #wroteThisTurn = false;
  /** The end of the batch that is being gathered. */
  #batchWritten: Promise<void> | undefined;
  #resolveBatch: (() => void) | undefined;
  #drained: Promise<void> | undefined;

  constructor(output: Writable) {
    this.#output = output;
  }

  /** Characters that have not been taken yet. */
  get pendingLength(): number {
    return this.#output.writableLength + this.#batch.length;
  }

  /** Resolves when it has been taken, or when nothing will be any more; nothing if that is now. */
  write(line: string): Promise<void> | undefined {
    if (!this.#wroteThisTurn) {
      this.#wroteThisTurn = true;
      process.nextTick(this.flush);
      return this.#writeNow(`${line}\n`);
    }
    this.#batch += `${line}\n`;
    this.#batchWritten ??= new Promise((resolve) => (this.#resolveBatch = resolve));
    const written = this.#batchWritten;
    if (this.#batch.length >= FLUSH_LENGTH) this.#writeBatch();
    return written;
  }

  /** Writes what has been gathered now, for when there is no later. */
  readonly flush = (): void => {
    this.#wroteThisTurn = false;
    this.#writeBatch();
  };

  #writeBatch(): void {
    const batch = this.#batch;
    const settle = this.#resolveBatch;
    if (!settle) return;
    this.#batch = "";
    this.#batchWritten = this.#resolveBatch = undefined;
    const drained = this.#writeNow(batch);
    if (drained) void drained.then(settle);
    else settle();
  }

  #writeNow(text: string): Promise<void> | undefined {
    if (!this.#output.writable || this.#output.write(text)) return undefined;
    return this.#untilDrained();
  }

  /** One wait for all who wait. */
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
