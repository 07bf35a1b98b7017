/** Resolves after a delay, or as soon as one of the signals is aborted. Never rejects. */
import type { Clock } from "./clock.ts";

/** A background delay does not keep the process alive. */
export function abortableDelay(
  clock: Clock,
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
  background = false,
): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      stop();
      for (const signal of signals) signal?.removeEventListener("abort", finish);
      resolve();
    };
    const stop = clock.after(ms, finish, background);
    for (const signal of signals) signal?.addEventListener("abort", finish, { once: true });
    if (signals.some((signal) => signal?.aborted)) finish();
  });
}
