/** Waits, unless somebody gives up first. */
import type { Clock } from "../clock.ts";

export function pause(clock: Clock, ms: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stop();
      for (const signal of signals) signal?.removeEventListener("abort", end);
      resolve();
    };
    const stop = clock.after(ms, end);
    for (const signal of signals) signal?.addEventListener("abort", end, { once: true });
    if (signals.some((signal) => signal?.aborted)) end();
  });
}
