/** Waits for what a call needs first and does not do itself, but no longer than the call would wait for its server. */
import type { Clock } from "../../clock.ts";
import type { CallContext } from "../session.ts";

/** Whether it has come, or failed; false if the time is over or nobody wants it any more. */
export function waitFor(
  waited: Promise<unknown>,
  { signal, timeoutMs, maxMs }: CallContext,
  clock: Clock,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (came: boolean) => {
      stop();
      signal?.removeEventListener("abort", giveUp);
      resolve(came);
    };
    const giveUp = () => end(false);
    const stop = clock.after(Math.min(timeoutMs, maxMs), giveUp);
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted) giveUp();
    void waited.then(
      () => end(true),
      () => end(true),
    );
  });
}
