/** Limits how often a function is called. `run` calls it at once, or at the end of the interval after the last call. */
import type { Clock } from "@plugboard/contracts";

export class Throttle {
  readonly #callback: () => void;
  readonly #intervalMs: number;
  readonly #clock: Clock;
  #stopTimer: (() => void) | undefined;
  #pending = false;
  #stopped = false;

  constructor(callback: () => void, intervalMs: number, clock: Clock) {
    this.#callback = callback;
    this.#intervalMs = intervalMs;
    this.#clock = clock;
  }

  run(): void {
    if (this.#stopped) return;
    this.#pending = true;
    if (!this.#stopTimer) this.#flush();
  }

  stop(): void {
    this.#stopped = true;
    this.#stopTimer?.();
  }

  #flush(): void {
    this.#stopTimer = undefined;
    if (!this.#pending) return;
    this.#pending = false;
    this.#stopTimer = this.#clock.after(this.#intervalMs, () => this.#flush(), { background: true });
    this.#callback();
  }
}
