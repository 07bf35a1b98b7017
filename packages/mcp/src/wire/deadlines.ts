/**
 * Runs many deadlines on one timer. Most deadlines are cleared long before they are due, so setting and clearing one
 * must be cheap: the entries form a linked list, which is scanned only when the timer fires.
 */
import { steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";

/** An object with a deadline. Only `Deadlines` changes `dueAt`, `previous` and `next`. */
export interface DeadlineEntry {
  dueAt: number;
  onDeadline(): void;
  previous: DeadlineEntry | undefined;
  next: DeadlineEntry | undefined;
}

/** Bounds how long the timer runs on after the last deadline was cleared. */
const MAX_TIMER_MS = 1000;

export class Deadlines {
  readonly #clock: Clock;
  #first: DeadlineEntry | undefined;
  #firesAt = Infinity;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns steady time, so that a change of the wall clock causes no timeout. */
  now(): number {
    return steadyNow(this.#clock);
  }

  /** Replaces the deadline of the entry. `Infinity` clears it. */
  set(entry: DeadlineEntry, dueAt: number): void {
    const wasSet = entry.dueAt !== Infinity;
    entry.dueAt = dueAt;
    if (dueAt === Infinity) return wasSet ? this.#unlink(entry) : undefined;
    if (!wasSet) this.#link(entry);
    if (dueAt < this.#firesAt) this.#arm(dueAt);
  }

  /** Clears all deadlines. */
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
        // An earlier callback may have cleared or moved this deadline.
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
