/**
 * The time that a server takes, apart from what its credentials take. Those come
 * from elsewhere, and while a request waits for them nothing can be held against
 * the server: by this clock no time passes then.
 */
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";
import type { Credentials } from "../transport/http/credentials.ts";

export class ServerClock implements Clock {
  readonly #clock: Clock;
  /** What fell due while it stood still. */
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

  after(ms: number, run: () => void, background = false): () => void {
    const dueAt = this.steady() + ms;
    let cancel = () => {};
    const check = () => {
      const leftMs = dueAt - this.steady();
      if (leftMs < 1) return run();
      cancel = this.#clock.after(leftMs, onTimer, background);
    };
    const onTimer = () => {
      if (this.#pauses === 0) return check();
      this.#deferred.add(check);
      cancel = () => void this.#deferred.delete(check);
    };
    cancel = this.#clock.after(ms, onTimer, background);
    return () => cancel();
  }

  /** The same, which halt this clock for as long as they have to be waited for. */
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
    for (const look of deferred) look();
  }

  #steadyNow(): number {
    return steadyNow(this.#clock);
  }
}
