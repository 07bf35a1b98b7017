/**
 * The time that a server takes, apart from what its credentials take. Those come
 * from elsewhere, and while a request waits for them nothing can be held against
 * the server: by this clock no time passes then.
 */
import { steadyNow } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { Credentials } from "../transport/credentials.ts";

export class ServerTime implements Clock {
  readonly #clock: Clock;
  /** What fell due while it stood still. */
  readonly #held = new Set<() => void>();
  #halts = 0;
  #haltedAt = 0;
  #stoodMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  steady(): number {
    return (this.#halts > 0 ? this.#haltedAt : this.#elapsed()) - this.#stoodMs;
  }

  after(ms: number, run: () => void, background = false): () => void {
    const dueAt = this.steady() + ms;
    let cancel = () => {};
    const look = () => {
      const leftMs = dueAt - this.steady();
      if (leftMs < 1) return run();
      cancel = this.#clock.after(leftMs, due, background);
    };
    const due = () => {
      if (this.#halts === 0) return look();
      this.#held.add(look);
      cancel = () => void this.#held.delete(look);
    };
    cancel = this.#clock.after(ms, due, background);
    return () => cancel();
  }

  /** The same, which halt this clock for as long as they have to be waited for. */
  without(credentials: Credentials): Credentials {
    return {
      headers: (request) => {
        const headers = credentials.headers(request);
        return headers instanceof Promise ? this.#halted(headers) : headers;
      },
      refused: (refusal, sent) => this.#halted(credentials.refused(refusal, sent)),
    };
  }

  async #halted<T>(awaited: Promise<T>): Promise<T> {
    if (this.#halts++ === 0) this.#haltedAt = this.#elapsed();
    try {
      return await awaited;
    } finally {
      if (--this.#halts === 0) this.#goOn();
    }
  }

  #goOn(): void {
    this.#stoodMs += this.#elapsed() - this.#haltedAt;
    const held = [...this.#held];
    this.#held.clear();
    for (const look of held) look();
  }

  #elapsed(): number {
    return steadyNow(this.#clock);
  }
}
