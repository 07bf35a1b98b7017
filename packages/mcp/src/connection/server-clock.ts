/**
 * A clock that stands still while the credentials of a server are obtained, for example during a login. That time must
 * not count against the server's timeouts.
 */
import { steadyNow } from "@plugboard/contracts";
import type { Clock, TimerOptions } from "@plugboard/contracts";
import type { Credentials } from "../transport/http/credentials.ts";

export class ServerClock implements Clock {
  readonly #clock: Clock;
  /** The timers that were due while the clock stood still. */
  readonly #deferred = new Set<() => void>();
  #pauses = 0;
  #pausedAt = 0;
  #pausedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  steady(): number {
    return (this.#pauses > 0 ? this.#pausedAt : this.#steadyNow()) - this.#pausedMs;
  }

  after(ms: number, run: () => void, options?: TimerOptions): () => void {
    const dueAt = this.steady() + ms;
    let cancel = () => {};
    const check = () => {
      const leftMs = dueAt - this.steady();
      if (leftMs < 1) return run();
      cancel = this.#clock.after(leftMs, onTimer, options);
    };
    const onTimer = () => {
      if (this.#pauses === 0) return check();
      this.#deferred.add(check);
      cancel = () => void this.#deferred.delete(check);
    };
    cancel = this.#clock.after(ms, onTimer, options);
    return () => cancel();
  }

  /** Wraps credentials so that this clock stands still while they are obtained. */
  pausedDuring(credentials: Credentials): Credentials {
    return {
      headers: (request) => {
        const headers = credentials.headers(request);
        return headers instanceof Promise ? this.#pauseDuring(headers) : headers;
      },
      onUnauthorized: (refusal, sent) => this.#pauseDuring(credentials.onUnauthorized(refusal, sent)),
    };
  }

  async #pauseDuring<T>(awaited: Promise<T>): Promise<T> {
    if (this.#pauses++ === 0) this.#pausedAt = this.#steadyNow();
    try {
      return await awaited;
    } finally {
      if (--this.#pauses === 0) this.#resume();
    }
  }

  #resume(): void {
    this.#pausedMs += this.#steadyNow() - this.#pausedAt;
    const deferred = [...this.#deferred];
    this.#deferred.clear();
    for (const check of deferred) check();
  }

  #steadyNow(): number {
    return steadyNow(this.#clock);
  }
}
