/**
 * Many deadlines on one timer. Nearly every request is answered long before its
 * time is up, so setting a deadline and taking it back makes nothing at all: what
 * has a deadline is a link of a chain, and the one timer looks along it when it fires.
 */
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";

/** Something that has a deadline. The chain is the business of `Deadlines` alone. */
export interface DeadlineEntry {
  dueAt: number;
  /** Its time is up. */
  onDeadline(): void;
  previous: DeadlineEntry | undefined;
  next: DeadlineEntry | undefined;
}

/** The timer is left running when nothing is left to wait for, but no longer than this. */
const MAX_TIMER_MS = 1000;

export class Deadlines {
  readonly #clock: Clock;
  #first: DeadlineEntry | undefined;
  #firesAt = Infinity;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A request must not time out because somebody has set the clock. */
  now(): number {
    return steadyNow(this.#clock);
  }

  /** Falls due at that time instead of any other it had; at `Infinity` never. */
  set(entry: DeadlineEntry, dueAt: number): void {
    const wasSet = entry.dueAt !== Infinity;
    entry.dueAt = dueAt;
    if (dueAt === Infinity) return wasSet ? this.#unlink(entry) : undefined;
    if (!wasSet) this.#link(entry);
    if (dueAt < this.#firesAt) this.#arm(dueAt);
  }

  /** Nothing falls due any more. */
  clear(): void {
    while (this.#first) this.set(this.#first, Infinity);
    this.#disarm();
  }

  #link(entry: DeadlineEntry): void {
    entry.next = this.#first;
    if (this.#first) this.#first.previous = entry;
    this.#first = entry;
  }

  #unlink(entry: DeadlineEntry): void {
    const { previous, next } = entry;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    entry.previous = entry.next = undefined;
  }

  #arm(earliest: number): void {
    this.#disarm();
    const now = this.now();
    this.#firesAt = Math.min(Math.max(earliest, now), now + MAX_TIMER_MS);
    this.#cancelTimer = this.#clock.after(this.#firesAt - now, () => this.#fire());
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#firesAt = Infinity;
  }

  #fire(): void {
    this.#firesAt = Infinity;
    const now = this.now();
    const dueEntries = this.#all().filter(({ dueAt }) => dueAt <= now);
    try {
      for (const entry of dueEntries.toSorted((a, b) => a.dueAt - b.dueAt)) {
        // What runs may take back what would run next.
        if (entry.dueAt > now) continue;
        this.set(entry, Infinity);
        entry.onDeadline();
      }
    } finally {
      const earliest = Math.min(...this.#all().map(({ dueAt }) => dueAt));
      if (earliest < this.#firesAt) this.#arm(earliest);
    }
  }

  #all(): DeadlineEntry[] {
    const all: DeadlineEntry[] = [];
    for (let entry = this.#first; entry; entry = entry.next) all.push(entry);
    return all;
  }
}
