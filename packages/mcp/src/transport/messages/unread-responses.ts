/** Pauses a server that sends requests without reading the responses, so that they do not fill the memory. */
import type { PausableSource } from "./shared-pause.ts";

const MAX_UNREAD_CHARS = 4 * 1024 * 1024;

export class UnreadResponses {
  readonly #source: PausableSource;
  #unreadLength = 0;
  #paused = false;

  constructor(source: PausableSource) {
    this.#source = source;
  }

  /** True while the source is paused. */
  get paused(): boolean {
    return this.#paused;
  }

  async add(length: number, written: Promise<void>): Promise<void> {
    this.#unreadLength += length;
    this.#update();
    // The sender of the response handles the error.
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
