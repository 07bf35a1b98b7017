/** Resolves after a delay, or as soon as one of the signals is aborted. Never rejects. */
import type { CancelSignal } from "./cancellation.ts";
import type { Clock, TimerOptions } from "./clock.ts";

export function abortableDelay(
  clock: Clock,
  ms: number,
  signals: readonly (CancelSignal | undefined)[],
  options?: TimerOptions,
): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      stop();
      for (const signal of signals) signal?.removeEventListener("abort", finish);
      resolve();
    };
    const stop = clock.after(ms, finish, options);
    for (const signal of signals) signal?.addEventListener("abort", finish, { once: true });
    if (signals.some((signal) => signal?.aborted)) finish();
  });
}
