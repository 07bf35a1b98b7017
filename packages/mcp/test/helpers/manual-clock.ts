/** A clock that moves only when the test advances it. */
import type { Clock } from "@plugboard/mcp";

interface Timer {
  readonly at: number;
  readonly run: () => void;
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

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Runs the timers that become due, in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let next = this.#due(until); next; next = this.#due(until)) {
      this.#timers.delete(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = until;
  }

  /** How many timers have neither run nor been cancelled. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  #due(until: number): Timer | undefined {
    return [...this.#timers].filter((timer) => timer.at <= until).toSorted((a, b) => a.at - b.at)[0];
  }
}
