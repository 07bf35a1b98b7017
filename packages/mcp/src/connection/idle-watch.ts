/** Detects that a server is unused: it has no open call, and had none for some time. */
import { steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";

export interface IdleWatchOptions {
  readonly clock: Clock;
  readonly afterMs: number;
  readonly inUse: () => boolean;
  readonly onUnused: () => void;
}

export class IdleWatch {
  readonly #options: IdleWatchOptions;
  #usedAt: number;
  #stopTimer: () => void;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
    this.#usedAt = steadyNow(options.clock);
    this.#stopTimer = options.clock.after(options.afterMs, () => this.#check(), { background: true });
  }

  /** Called when a request has ended. */
  used(): void {
    this.#usedAt = steadyNow(this.#options.clock);
  }

  stop(): void {
    this.#stopTimer();
  }

  /** Reschedules one timer, because a timer per request would be slow. */
  #check(): void {
    const { clock, afterMs, inUse, onUnused } = this.#options;
    const leftMs = inUse() ? afterMs : this.#usedAt + afterMs - steadyNow(clock);
    if (leftMs <= 0) return onUnused();
    this.#stopTimer = clock.after(leftMs, () => this.#check(), { background: true });
  }
}
