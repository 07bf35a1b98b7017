/** Breaks off whatever one request holds open at the moment, be it a response or a wait. Cheaper than a signal. */
import type { Clock } from "../clock.ts";

export interface Breakable {
  abort(): void;
}

export class Breaker {
  broken = false;
  #held: Breakable | undefined;

  /** In place of what was held before. */
  hold(held: Breakable): void {
    this.#held = held;
    if (this.broken) held.abort();
  }

  break(): void {
    if (this.broken) return;
    this.broken = true;
    this.#held?.abort();
  }
}

/** What is waited for; rejects as soon as it is broken off. */
export function unlessBroken<T>(awaited: Promise<T>, breaker: Breaker): Promise<T> {
  return new Promise((resolve, reject) => {
    breaker.hold({ abort: () => reject(new Error("given up")) });
    awaited.then(resolve, reject);
  });
}

/** Resolves after that time, or as soon as it is broken off. */
export function pause(clock: Clock, ms: number, breaker: Breaker, background = false): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, resolve, background);
    breaker.hold({
      abort() {
        stop();
        resolve();
      },
    });
  });
}
