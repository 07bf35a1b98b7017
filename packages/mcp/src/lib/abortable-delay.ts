/** Waits, unless somebody gives up first. */
import type { Clock } from "./clock.ts";

export function abortableDelay(clock: Clock, ms: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      stop();
      for (const signal of signals) signal?.removeEventListener("abort", finish);
      resolve();
    };
    const stop = clock.after(ms, finish);
    for (const signal of signals) signal?.addEventListener("abort", finish, { once: true });
    if (signals.some((signal) => signal?.aborted)) finish();
  });
}
