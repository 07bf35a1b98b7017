/**
 * Limits how many servers start at the same time. A start needs the processor. If too many share it, some of them do
 * not finish within their start-up timeout.
 */
import { availableParallelism } from "node:os";
import type { Clock } from "@plugboard/contracts";

const STARTS_PER_CORE = 4;
/** A start that takes longer no longer counts, because it probably waits for something other than the processor. */
const MAX_COUNTED_MS = 5000;

export const DEFAULT_MAX_STARTS = STARTS_PER_CORE * availableParallelism();

export interface QueuedStart {
  /** Returns true while a caller waits for the server. Such servers start first. */
  readonly isAwaited: () => boolean;
  /** Removes the start from the queue when it aborts. */
  readonly signal: AbortSignal;
}

/** Called when the server has started, or has failed to. */
export type EndStart = () => void;

export class StartQueue {
  readonly #clock: Clock;
  readonly #maxStarts: number;
  readonly #waiting = new Map<QueuedStart, (end: EndStart) => void>();
  #running = 0;

  constructor(clock: Clock, maxStarts = DEFAULT_MAX_STARTS) {
    this.#clock = clock;
    this.#maxStarts = maxStarts;
  }

  /** Returns a promise only if the server has to wait. It rejects with the reason of the signal. */
  begin(start: QueuedStart): EndStart | Promise<EndStart> {
    if (this.#running < this.#maxStarts) return this.#run();
    return new Promise((resolve, reject) => {
      const { signal } = start;
      const onAbort = () => {
        this.#waiting.delete(start);
        reject(signal.reason);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.set(start, (end) => {
        signal.removeEventListener("abort", onAbort);
        resolve(end);
      });
    });
  }

  #run(): EndStart {
    this.#running += 1;
    let counts = true;
    const end = () => {
      stopTimer();
      if (!counts) return;
      counts = false;
      this.#running -= 1;
      this.#runNext();
    };
    const stopTimer = this.#clock.after(MAX_COUNTED_MS, end, { background: true });
    return end;
  }

  #runNext(): void {
    const starts = [...this.#waiting.keys()];
    const next = starts.find(({ isAwaited }) => isAwaited()) ?? starts[0];
    if (!next) return;
    const resolve = this.#waiting.get(next)!;
    this.#waiting.delete(next);
    resolve(this.#run());
  }
}
