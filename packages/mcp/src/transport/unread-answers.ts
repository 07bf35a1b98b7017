/** A server that asks on and on without reading the answers is not read either, so that they can't fill our memory. */
import type { Source } from "./read-holds.ts";

const MAX_UNREAD = 4 * 1024 * 1024;

export class UnreadAnswers {
  readonly #source: Source;
  #unread = 0;
  #held = false;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Whether the source is being held back. */
  get held(): boolean {
    return this.#held;
  }

  async add(length: number, taken: Promise<void>): Promise<void> {
    this.#unread += length;
    this.#decide();
    // That it can't be delivered is told to whoever sent it.
    await taken.catch(() => {});
    this.#unread -= length;
    this.#decide();
  }

  #decide(): void {
    const hold = this.#unread > MAX_UNREAD;
    if (hold === this.#held) return;
    this.#held = hold;
    if (hold) this.#source.pause();
    else this.#source.resume();
  }
}
