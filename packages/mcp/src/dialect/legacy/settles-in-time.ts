/** Waits for what a call needs first and does not do itself, but no longer than the call would wait for its server. */
import type { Clock } from "../../lib/clock.ts";
import type { CallContext } from "../../session/session.ts";

/** Whether it has come, or failed; false if the time is over or nobody wants it any more. */
export function settlesInTime(
  promise: Promise<unknown>,
  { signal, timeoutMs, maxMs }: CallContext,
  clock: Clock,
): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (came: boolean) => {
      stop();
      signal?.removeEventListener("abort", onTimeout);
      resolve(came);
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
