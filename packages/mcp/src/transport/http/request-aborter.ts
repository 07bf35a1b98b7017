/** Breaks off whatever one request holds open at the moment, be it a response or a wait. Cheaper than a signal. */
import type { Clock } from "../../lib/clock.ts";

export interface Abortable {
  abort(): void;
}

export class RequestAborter {
  aborted = false;
  #current: Abortable | undefined;

  /** In place of what was held before. */
  attach(abortable: Abortable): void {
    this.#current = abortable;
    if (this.aborted) abortable.abort();
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#current?.abort();
  }
}

/** What is waited for; rejects as soon as it is broken off. */
export function rejectOnAbort<T>(promise: Promise<T>, aborter: RequestAborter): Promise<T> {
  return new Promise((resolve, reject) => {
    aborter.attach({ abort: () => reject(new Error("given up")) });
    promise.then(resolve, reject);
  });
}

/** Resolves after that time, or as soon as it is broken off. */
export function delayUntilAborted(
  clock: Clock,
  ms: number,
  aborter: RequestAborter,
  background = false,
): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, resolve, background);
    aborter.attach({
      abort() {
        stop();
        resolve();
      },
    });
  });
}
