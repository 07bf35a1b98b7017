/**
 * The lines of the journal that wait for the disk. Events are collected and become text 64 at a time, which is cheaper
 * than one by one, and no call waits for it.
 */
import type { HostEvent } from "@plugboard/contracts";
import { writeJournalLine, writeLossLine } from "./journal-line.ts";
import { LineBytes } from "./line-bytes.ts";

/** With a higher limit, the garbage collector would copy the collected events before they are text. */
const MAX_EVENTS = 64;

export class JournalBatch {
  lines = 0;
  /** True while the batch is being written. Then nothing may be added. */
  isSealed = false;
  readonly #text = new LineBytes();
  readonly #events: HostEvent[] = [];

  get bytes(): Buffer {
    this.#writeEvents();
    return this.#text.bytes;
  }

  add(event: HostEvent): void {
    this.lines += 1;
    if (this.#events.push(event) === MAX_EVENTS) this.#writeEvents();
  }

  addLoss(at: number, entries: number): void {
    this.#writeEvents();
    writeLossLine(at, entries, this.#text);
    this.lines += 1;
  }

  #writeEvents(): void {
    for (const event of this.#events) writeJournalLine(event, this.#text);
    this.#events.length = 0;
  }
}
