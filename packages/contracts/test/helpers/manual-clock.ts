/** A clock that moves only when the test advances it. */
import type { Clock } from "#async/clock.js";

interface Timer {
  readonly dueAt: number;
  readonly run: () => void;
  readonly background: boolean;
}

export class ManualClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now = 0;
  #wallOffset = 0;

  now(): number {
    return this.#now + this.#wallOffset;
  }

  steady(): number {
    return this.#now;
  }

  /** Changes the wall clock by the given time. The steady clock does not move. */
  shiftWallClock(byMs: number): void {
    this.#wallOffset += byMs;
  }

  after(ms: number, run: () => void, { background = false }: Parameters<Clock["after"]>[2] = {}): () => void {
    const timer = { dueAt: this.#now + ms, run, background };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Runs the timers that become due, in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let next = this.#nextDue(until); next; next = this.#nextDue(until)) {
      this.#timers.delete(next);
      this.#now = next.dueAt;
      next.run();
    }
    this.#now = until;
  }

  /** The number of timers that have neither run nor been cancelled. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** The number of pending timers that would keep the process alive. */
  get foregroundTimers(): number {
    return [...this.#timers].filter(({ background }) => !background).length;
  }

  /** The time until each pending timer runs. */
  get pendingDelays(): number[] {
    return [...this.#timers].map(({ dueAt }) => dueAt - this.#now);
  }

  #nextDue(until: number): Timer | undefined {
    return [...this.#timers].filter((timer) => timer.dueAt <= until).toSorted((a, b) => a.dueAt - b.dueAt)[0];
  }
}
