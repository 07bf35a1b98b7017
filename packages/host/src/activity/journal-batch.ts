/** The lines of the journal that wait for the disk. */
import type { HostEvent } from "@plugboard/contracts";
import { writeJournalLine, writeLossLine } from "./journal-line.ts";
import { LineBytes } from "./line-bytes.ts";

export class JournalBatch {
  lines = 0;
  /** True if it is being written, so that nothing may be added. */
  isSealed = false;
  readonly #text = new LineBytes();

  get bytes(): Buffer {
    return this.#text.bytes;
  }

  add(event: HostEvent): void {
    writeJournalLine(event, this.#text);
    this.lines += 1;
  }

  addLoss(at: number, entries: number): void {
    writeLossLine(at, entries, this.#text);
    this.lines += 1;
  }
}
