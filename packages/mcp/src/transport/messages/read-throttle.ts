/**
 * Keeps one source from taking all the time of the event loop. Measures how long
 * its chunks take to handle; after a burst it is not read for a multiple of that
 * time. Its pipe fills meanwhile, so the sender has to wait.
 */
import { steadyNow } from "../../lib/clock.ts";
import type { Clock } from "../../lib/clock.ts";
import type { PausableSource } from "./shared-pause.ts";

/** A chunk that takes less never counts: the answers to many concurrent calls do. */
const NEGLIGIBLE_MS = 1;
/** Chunks in a row that take as long together are a burst. A single one is not: it may be one large result. */
const BURST_MS = 10;
/** The pause after a burst, as a multiple of its time, so that others get three quarters of the time. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 1000;

export class ReadThrottle {
  readonly #source: PausableSource;
  readonly #clock: Clock;
  #usedMs = 0;
  #usedAt = 0;
  #measuringTurn = false;
  #stopTimer: (() => void) | undefined;
  #stopped = false;

  constructor(source: PausableSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Handles one chunk of the source. */
  handle(chunk: Buffer, read: (chunk: Buffer) => void): void {
    const startedAt = steadyNow(this.#clock);
    read(chunk);
    this.#record(startedAt);
  }

  /** Call it before each message of a source that shows its messages but not its chunks: those of one turn are a chunk. */
  beforeMessage(): void {
    if (this.#measuringTurn) return;
    this.#measuringTurn = true;
    const startedAt = steadyNow(this.#clock);
    queueMicrotask(() => {
      this.#measuringTurn = false;
      this.#record(startedAt);
    });
  }

  /** Reads on at once and never pauses again, for when the source has ended. */
  stop(): void {
    this.#stopped = true;
    this.#resume();
  }

  /** Time that passes between two chunks is taken off. */
  #record(startedAt: number): void {
    const ended = steadyNow(this.#clock);
    if (ended - startedAt < NEGLIGIBLE_MS) return;
    const before = Math.max(0, this.#usedMs - (startedAt - this.#usedAt));
    this.#usedMs = before + ended - startedAt;
    this.#usedAt = ended;
    if (before === 0 || this.#usedMs < BURST_MS || this.#stopped || this.#stopTimer) return;
    const pauseMs = Math.min(PAUSE_FACTOR * this.#usedMs, MAX_PAUSE_MS);
    this.#usedMs = 0;
    this.#source.pause();
    this.#stopTimer = this.#clock.after(pauseMs, () => this.#resume());
  }

  #resume(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#source.resume();
  }
}
