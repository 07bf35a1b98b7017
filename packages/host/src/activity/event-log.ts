/** Numbers the events of a host, passes them to subscribers, and keeps recent events for late subscribers. */
import { HostError } from "@plugboard/contracts";
import type { HostEvent, HostEventData } from "@plugboard/contracts";

const CAPACITY = 1000;
/** Limits the characters of all kept long events together, as JSON. */
const MAX_CHARS = 32 * 1024 * 1024;
/** Events of these types contain what a server or a model has sent, so they can be long. */
const LONG_TYPES: ReadonlySet<HostEvent["type"]> = new Set(["question.asked", "question.settled", "chat.event"]);

/** The start or the end of a call. Calls are the most frequent events. */
export type LoggedCallEvent = Extract<HostEvent, { type: "call.started" | "call.ended" }> & { seq: number; at: number };

export class EventLog {
  readonly #now: () => number;
  readonly #onEvent: (event: HostEvent) => void;
  /** A ring buffer. The index of an event is its sequence number modulo the capacity. */
  readonly #recent: (HostEvent | undefined)[] = [];
  /** The lengths of the kept long events by sequence number, oldest first. */
  readonly #lengths = new Map<number, number>();
  #chars = 0;
  /** The sequence number of the oldest kept event. */
  #oldest = 1;
  readonly #waiters = new Set<() => void>();
  #seq = 0;
  #closed = false;

  /** Calls `onEvent` synchronously for every event. It must be fast and must not throw. */
  constructor(now: () => number, onEvent: (event: HostEvent) => void = () => {}) {
    this.#now = now;
    this.#onEvent = onEvent;
  }

  /** The sequence number of the latest event. */
  get seq(): number {
    return this.#seq;
  }

  readonly emit = (event: HostEventData): void => {
    // The spread must come last: V8 takes fifteen times as long to add properties to a copy.
    this.#add({ seq: ++this.#seq, at: this.#now(), ...event });
  };

  /** Emits an event of a call without a copy. Replaces `seq` and `at`. */
  readonly emitCall = (event: LoggedCallEvent): void => {
    event.seq = ++this.#seq;
    event.at = this.#now();
    this.#add(event);
  };

  #add(event: HostEvent): void {
    const { seq, type } = event;
    this.#recent[seq % CAPACITY] = event;
    if (seq - this.#oldest >= CAPACITY) this.#forgetUntil(seq - CAPACITY);
    if (LONG_TYPES.has(type)) this.#countLength(event);
    this.#onEvent(event);
    if (this.#waiters.size > 0) for (const wake of this.#waiters) wake();
  }

  /**
   * Yields the events after the sequence number `after`, by default the future events. A slow reader misses events, and
   * gets `events.missed` instead. `show` returns the event as the reader may see it, or undefined to hide it. Throws
   * OPTION_INVALID if `after` is no sequence number.
   */
  async *events(
    after = this.#seq,
    signal?: AbortSignal,
    show: (event: HostEvent) => HostEvent | undefined = (event) => event,
  ): AsyncGenerator<HostEvent> {
    if (!Number.isInteger(after)) {
      const reason = '"after" must be a sequence number. The signal is the second argument';
      throw new HostError("OPTION_INVALID", { method: "events", option: "after", reason });
    }
    let lastSeq = after;
    let resume = () => {};
    // One listener serves all waits of this reader, because adding and removing it would double the time of a wait.
    const wake = () => resume();
    this.#waiters.add(wake);
    signal?.addEventListener("abort", wake);
    try {
      for (;;) {
        if (signal?.aborted) return;
        const next = this.#eventAfter(lastSeq);
        if (next) {
          const missed = next.seq - lastSeq - 1;
          if (missed > 0) yield { seq: next.seq - 1, at: next.at, type: "events.missed", count: missed };
          lastSeq = next.seq;
          const shown = show(next);
          if (shown) yield shown;
        } else {
          if (this.#closed) return;
          await new Promise<void>((resolve) => (resume = resolve));
        }
      }
    } finally {
      this.#waiters.delete(wake);
      signal?.removeEventListener("abort", wake);
    }
  }

  close(): void {
    this.#closed = true;
    for (const wake of this.#waiters) wake();
  }

  /** Drops the oldest events above the limit, but never the latest event. */
  #countLength(event: HostEvent): void {
    const length = lengthOf(event);
    this.#lengths.set(event.seq, length);
    this.#chars += length;
    for (const seq of this.#lengths.keys()) {
      if (this.#chars <= MAX_CHARS || seq === event.seq) return;
      this.#forgetUntil(seq);
    }
  }

  #forgetUntil(last: number): void {
    for (; this.#oldest <= last; this.#oldest++) {
      this.#chars -= this.#lengths.get(this.#oldest) ?? 0;
      this.#lengths.delete(this.#oldest);
      const index = this.#oldest % CAPACITY;
      if (this.#recent[index]?.seq === this.#oldest) this.#recent[index] = undefined;
    }
  }

  #eventAfter(seq: number): HostEvent | undefined {
    if (seq >= this.#seq) return undefined;
    return this.#recent[Math.max(seq + 1, this.#oldest) % CAPACITY];
  }
}

function lengthOf(event: HostEvent): number {
  try {
    return JSON.stringify(event).length;
  } catch {
    // The event is nested too deep to serialise, or too long for a string.
    return MAX_CHARS;
  }
}
