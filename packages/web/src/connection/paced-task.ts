/**
 * Runs a task on request, never twice at once. Requests that arrive before a run has begun share it. After a slow run
 * the next one waits longer, so that a stream of requests never keeps the host busy.
 */
export interface PacedTaskOptions {
  /** Must not reject. */
  readonly run: () => Promise<void>;
  /** The shortest time between a request and its run. */
  readonly delayMs: number;
}

/** Waits this many times the duration of a run before the next one. */
export const REST_FACTOR = 3;

export class PacedTask {
  readonly #options: PacedTaskOptions;
  #requested = false;
  #active = false;
  #restUntil = 0;

  constructor(options: PacedTaskOptions) {
    this.#options = options;
  }

  request(): void {
    this.#requested = true;
    if (!this.#active) void this.#runWhileRequested();
  }

  async #runWhileRequested(): Promise<void> {
    const { run, delayMs } = this.#options;
    this.#active = true;
    try {
      while (this.#requested) {
        const wait = Math.max(delayMs, this.#restUntil - performance.now());
        await new Promise((resolve) => setTimeout(resolve, wait));
        this.#requested = false;
        const started = performance.now();
        await run();
        const ended = performance.now();
        this.#restUntil = ended + (ended - started) * REST_FACTOR;
      }
    } finally {
      this.#active = false;
    }
  }
}
