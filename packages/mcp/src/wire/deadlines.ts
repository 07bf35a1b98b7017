/**
 * Many deadlines on one timer. Nearly every request is answered long before its
 * time is up, so setting a deadline and taking it back costs no timer: the one
 * that runs looks, when it fires, what is due.
 */
import type { Clock } from "../clock.ts";

interface Deadline {
  readonly at: number;
  readonly run: () => void;
}

/** The timer is left running when nothing is left to wait for, but no longer than this. */
const LINGER_MS = 1000;

export class Deadlines implements Pick<Clock, "after" | "now"> {
  readonly #clock: Clock;
  readonly #set = new Set<Deadline>();
  #firesAt = Infinity;
  #stop: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  after(ms: number, run: () => void): () => void {
    const now = this.now();
    const deadline: Deadline = { at: now + ms, run };
    this.#set.add(deadline);
    if (deadline.at < this.#firesAt) this.#arm(now, deadline.at);
    return () => void this.#set.delete(deadline);
  }

  /** A request must not time out because somebody has set the clock. */
  now(): number {
    return this.#clock.steady?.() ?? this.#clock.now();
  }

  /** Nothing falls due any more. */
  clear(): void {
    this.#set.clear();
    this.#disarm();
  }

  #arm(now: number, earliest: number): void {
    this.#disarm();
    this.#firesAt = Math.min(earliest, now + LINGER_MS);
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
    const due = [...this.#set].filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at);
    try {
      // What runs may take back what would run next.
      for (const deadline of due) if (this.#set.delete(deadline)) deadline.run();
    } finally {
      let earliest = Infinity;
      for (const { at } of this.#set) earliest = Math.min(earliest, at);
      if (earliest < this.#firesAt) this.#arm(now, Math.max(earliest, now));
    }
  }
}
