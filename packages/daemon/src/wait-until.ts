/** Waits for a condition that nothing announces, for a limited time. */
import type { Clock } from "@plugboard/gateway";

export interface Patience {
  readonly clock: Clock;
  readonly maxMs: number;
  /** Ends the wait at once. */
  readonly hurry: AbortSignal;
}

const LOOK_MS = 20;

export async function waitUntil(isDone: () => boolean, { clock, maxMs, hurry }: Patience): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxMs && !hurry.aborted && !isDone(); waitedMs += LOOK_MS) {
    await new Promise<void>((resolve) => {
      const cancel = clock.after(LOOK_MS, () => {
        hurry.removeEventListener("abort", stop);
        resolve();
      });
      const stop = () => {
        cancel();
        resolve();
      };
      hurry.addEventListener("abort", stop, { once: true });
    });
  }
}
