/**
 * Joins lines that follow each other quickly into one write. A host with many clients writes thousands of lines per
 * second, and each write takes about as long as a tool call.
 */
import type { Output } from "./output.ts";
import type { Text } from "./text.ts";

const BATCH_MS = 50;

export class BatchedLines {
  readonly #output: Pick<Output, "write">;
  #lines: Text[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Pick<Output, "write">) {
    this.#output = output;
  }

  /** Writes the first line at once, and the lines of the next 50 ms together. */
  write(line: Text): void {
    if (!this.#timer) {
      this.#output.write(line);
      this.#timer = setTimeout(() => this.flush(), BATCH_MS).unref();
      return;
    }
    this.#lines.push(line);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    this.#output.write(lines);
  }
}
