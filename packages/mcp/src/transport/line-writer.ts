/**
 * Lines for somebody who reads at his own pace. What is written in one turn of
 * the event loop goes out in one piece: a write costs more than a message.
 */
import type { Writable } from "node:stream";

export class LineWriter {
  readonly #output: Writable;
  #batch = "";
  /** The end of the batch that is being gathered. */
  #taken: Promise<void> | undefined;
  #settle: (() => void) | undefined;
  #drained: Promise<void> | undefined;

  constructor(output: Writable) {
    this.#output = output;
  }

  /** Characters that have not been taken yet. */
  get waiting(): number {
    return this.#output.writableLength + this.#batch.length;
  }

  /** Resolves when it has been taken, or when nothing will be any more. */
  write(line: string): Promise<void> {
    this.#batch += `${line}\n`;
    return (this.#taken ??= this.#gather());
  }

  /** Writes what has been gathered now, for when there is no later. */
  flush(): void {
    const batch = this.#batch;
    const settle = this.#settle;
    if (!settle) return;
    this.#batch = "";
    this.#taken = this.#settle = undefined;
    if (!this.#output.writable || this.#output.write(batch)) settle();
    else void this.#untilDrained().then(settle);
  }

  #gather(): Promise<void> {
    process.nextTick(() => this.flush());
    return new Promise((resolve) => (this.#settle = resolve));
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
