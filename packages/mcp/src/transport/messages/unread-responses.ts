/** A server that asks on and on without reading the answers is not read either, so that they can't fill our memory. */
import type { PausableSource } from "./shared-pause.ts";

const MAX_UNREAD_CHARS = 4 * 1024 * 1024;

export class UnreadResponses {
  readonly #source: PausableSource;
  #unreadLength = 0;
  #paused = false;

  constructor(source: PausableSource) {
    this.#source = source;
  }

  /** Whether the source is being held back. */
  get paused(): boolean {
    return this.#paused;
  }

  async add(length: number, written: Promise<void>): Promise<void> {
    this.#unreadLength += length;
    this.#update();
    // That it can't be delivered is told to whoever sent it.
    await written.catch(() => {});
    this.#unreadLength -= length;
    this.#update();
  }

  #update(): void {
    const shouldPause = this.#unreadLength > MAX_UNREAD_CHARS;
    if (shouldPause === this.#paused) return;
    this.#paused = shouldPause;
    if (shouldPause) this.#source.pause();
    else this.#source.resume();
  }
}
