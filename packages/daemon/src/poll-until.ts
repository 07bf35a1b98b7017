/** Polls a condition until it is true or the time is up. */
import type { Clock } from "@plugboard/gateway";

export interface PollOptions {
  readonly clock: Clock;
  readonly maxMs: number;
  /** Ends the wait when aborted. */
  readonly signal: AbortSignal;
}

const INTERVAL_MS = 20;

export async function pollUntil(isDone: () => boolean, { clock, maxMs, signal }: PollOptions): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxMs && !signal.aborted && !isDone(); waitedMs += INTERVAL_MS) {
    await new Promise<void>((resolve) => {
      const cancel = clock.after(INTERVAL_MS, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
      const stop = () => {
        cancel();
        resolve();
      };
      signal.addEventListener("abort", stop, { once: true });
    });
  }
}
