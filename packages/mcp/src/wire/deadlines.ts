/**
 * Many deadlines on one timer. Nearly every request is answered long before its
 * time is up, so setting a deadline and taking it back makes nothing at all: what
 * has a deadline is a link of a chain, and the one timer looks along it when it fires.
 */
import { steadyNow } from "../clock.ts";
import type { Clock } from "../clock.ts";

/** Something that has a deadline. The chain is the business of `Deadlines` alone. */
export interface Timed {
  dueAt: number;
  /** Its time is up. */
  due(): void;
  before: Timed | undefined;
  behind: Timed | undefined;
}

/** The timer is left running when nothing is left to wait for, but no longer than this. */
const LINGER_MS = 1000;

export class Deadlines {
  readonly #clock: Clock;
  #first: Timed | undefined;
  #firesAt = Infinity;
  #stop: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A request must not time out because somebody has set the clock. */
  now(): number {
    return steadyNow(this.#clock);
  }

  /** Falls due at that time instead of any other it had; at `Infinity` never. */
  set(timed: Timed, dueAt: number): void {
    const had = timed.dueAt !== Infinity;
    timed.dueAt = dueAt;
    if (dueAt === Infinity) return had ? this.#unlink(timed) : undefined;
    if (!had) this.#link(timed);
    if (dueAt < this.#firesAt) this.#arm(dueAt);
  }

  /** Nothing falls due any more. */
  clear(): void {
    while (this.#first) this.set(this.#first, Infinity);
    this.#disarm();
  }

  #link(timed: Timed): void {
    timed.behind = this.#first;
    if (this.#first) this.#first.before = timed;
    this.#first = timed;
  }

  #unlink(timed: Timed): void {
    const { before, behind } = timed;
    if (before) before.behind = behind;
    else this.#first = behind;
    if (behind) behind.before = before;
    timed.before = timed.behind = undefined;
  }

  #arm(earliest: number): void {
    this.#disarm();
    const now = this.now();
    this.#firesAt = Math.min(Math.max(earliest, now), now + LINGER_MS);
    this.#stop = this.#clock.after(this.#firesAt - now, () => this.#fire());
  }

  #disarm(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#firesAt = Infinity;
  }

  #fire(): void {
    this.#firesAt = Infinity;
    const now = this.now();
    const due = this.#all().filter(({ dueAt }) => dueAt <= now);
    try {
      for (const timed of due.toSorted((a, b) => a.dueAt - b.dueAt)) {
        // What runs may take back what would run next.
        if (timed.dueAt > now) continue;
        this.set(timed, Infinity);
        timed.due();
      }
    } finally {
      const earliest = Math.min(...this.#all().map(({ dueAt }) => dueAt));
      if (earliest < this.#firesAt) this.#arm(earliest);
    }
  }

  #all(): Timed[] {
    const all: Timed[] = [];
    for (let one = this.#first; one; one = one.behind) all.push(one);
    return all;
  }
}
