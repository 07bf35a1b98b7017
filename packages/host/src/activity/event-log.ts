/** Every fact of a host, numbered, with the recent ones kept for whoever joins late. */
import type { HostEvent, HostFact } from "@plugboard/contracts";

const KEPT = 1000;

export class EventLog {
  readonly #now: () => number;
  readonly #recent: HostEvent[] = [];
  readonly #wake = new Set<() => void>();
  #seq = 0;
  #closed = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The number of the latest fact. */
  get seq(): number {
    return this.#seq;
  }

  readonly state = (fact: HostFact): void => {
    this.#recent.push({ ...fact, seq: ++this.#seq, at: this.#now() });
    if (this.#recent.length > KEPT) this.#recent.shift();
    for (const wake of this.#wake) wake();
  };

  /** Without `after`, from now on. A reader that falls behind what is kept misses facts, and can see that by the numbers. */
  async *events(
    after = this.#seq,
    signal?: AbortSignal,
    wanted: (fact: HostFact) => boolean = () => true,
  ): AsyncGenerator<HostEvent> {
    let seen = after;
    for (;;) {
      if (signal?.aborted) return;
      const next = this.#after(seen);
      if (next) {
        seen = next.seq;
        if (wanted(next)) yield next;
      } else {
        if (this.#closed) return;
        await this.#news(signal);
      }
    }
  }

  close(): void {
    this.#closed = true;
    for (const wake of this.#wake) wake();
  }

  #after(seq: number): HostEvent | undefined {
    const oldest = this.#recent[0]?.seq ?? 0;
    return this.#recent[Math.max(0, seq + 1 - oldest)];
  }

  #news(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#wake.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#wake.add(wake);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }
}
