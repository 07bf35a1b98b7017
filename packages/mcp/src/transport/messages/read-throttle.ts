/**
 * Keeps one source from blocking the event loop. Measures how long its chunks take to handle. After a burst it pauses
 * the source for a multiple of that time, so that the sender has to wait.
 */
import { steadyNow } from "../../lib/clock.ts";
import type { Clock } from "../../lib/clock.ts";
import type { PausableSource } from "./shared-pause.ts";

/** Chunks that take less do not count, such as the responses to many concurrent calls. */
const NEGLIGIBLE_MS = 1;
/**
 * Consecutive chunks that take this long together are a burst. A single chunk is not, because it may be one large
 * result.
 */
const BURST_MS = 10;
/** The pause is this multiple of the burst, so that other work gets three quarters of the time. */
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

  /** For a source that emits messages instead of chunks. Treats all messages of one turn as a chunk. */
  beforeMessage(): void {
    if (this.#measuringTurn) return;
    this.#measuringTurn = true;
    const startedAt = steadyNow(this.#clock);
    queueMicrotask(() => {
      this.#measuringTurn = false;
      this.#record(startedAt);
    });
  }

  /** Resumes the source and never pauses it again. Called when the source has ended. */
  stop(): void {
    this.#stopped = true;
    this.#resume();
  }

  /** The time between two chunks is subtracted. */
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
