/** Delays the first request of a gateway until its servers have started, because many clients list tools only once. */
import type { Clock } from "@plugboard/contracts";

const MAX_WAIT_MS = 5000;

export class StartupWait {
  readonly #clock: Clock;
  readonly #whenStarted: () => Promise<void>;
  isOver = false;

  constructor(whenStarted: () => Promise<void>, clock: Clock) {
    this.#whenStarted = whenStarted;
    this.#clock = clock;
  }

  async wait(): Promise<void> {
    if (this.isOver) return;
    let stopWaiting = () => {};
    const timeout = new Promise<void>((resolve) => (stopWaiting = this.#clock.after(MAX_WAIT_MS, resolve)));
    await Promise.race([this.#whenStarted(), timeout]);
    stopWaiting();
    this.isOver = true;
  }
}
