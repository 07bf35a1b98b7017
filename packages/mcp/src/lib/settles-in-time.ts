/** Waits for a promise that a request depends on, at most as long as the request may take. */
import type { CancelSignal, Clock } from "@plugboard/contracts";

export interface WaitLimits {
  readonly signal?: CancelSignal | undefined;
  readonly timeoutMs: number;
  readonly maxMs?: number | undefined;
}

/** Resolves with true if the promise settles in time. Resolves with false on timeout or if the request is cancelled. */
export function settlesInTime(
  promise: Promise<unknown>,
  { signal, timeoutMs, maxMs = timeoutMs }: WaitLimits,
  clock: Clock,
): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (inTime: boolean) => {
      stop();
      signal?.removeEventListener("abort", onTimeout);
      resolve(inTime);
    };
    const onTimeout = () => finish(false);
    const stop = clock.after(Math.min(timeoutMs, maxMs), onTimeout);
    signal?.addEventListener("abort", onTimeout, { once: true });
    if (signal?.aborted) onTimeout();
    void promise.then(
      () => finish(true),
      () => finish(true),
    );
  });
}
