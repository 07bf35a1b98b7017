/** Waits for work until it settles or a time limit is over. */
import type { Clock } from "@plugboard/gateway";

export interface WaitLimits {
  readonly clock: Clock;
  readonly maxMs: number;
  /** Shortens the wait to `forcedMs` from now when aborted. */
  readonly forced: AbortSignal;
  readonly forcedMs: number;
}

export function waitAtMost(work: Promise<unknown>, { clock, maxMs, forced, forcedMs }: WaitLimits): Promise<void> {
  return new Promise((resolve) => {
    let cancelForced = () => {};
    const force = () => (cancelForced = clock.after(forcedMs, finish));
    const finish = () => {
      cancel();
      cancelForced();
      forced.removeEventListener("abort", force);
      resolve();
    };
    const cancel = clock.after(maxMs, finish);
    forced.addEventListener("abort", force, { once: true });
    if (forced.aborted) force();
    void work.catch(() => {}).finally(finish);
  });
}
