/**
 * Delays the first requests to a gateway until its servers have started, but not for long. Many clients list the tools
 * only once, and would miss those of a server that starts later.
 */
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
