/**
 * Pauses a source of messages, so that its sender has to wait. `ReadThrottle` pauses a source whose messages take too
 * long to handle. `UnreadResponses` pauses a server that does not read our responses. `SharedPause` lets both pause the
 * same source.
 */
import { steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";

export interface PausableSource {
  pause(): void;
  resume(): void;
}

/** A chunk that is processed in less time is ignored. Many small responses to concurrent calls are no flood. */
const NEGLIGIBLE_MS = 1;
/**
 * Consecutive chunks that take this long together are a burst. A single chunk is not, because it may be one large
 * result.
 */
const BURST_MS = 10;
/** The pause is this multiple of the burst, so that other work gets three quarters of the time. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 1000;

/**
 * Keeps one source from blocking the event loop. Measures how long its chunks take to handle. After a burst it pauses
 * the source for a multiple of that time.
 */
export class ReadThrottle {
  readonly #source: PausableSource;
  readonly #clock: Clock;
  /** The time that the current burst has taken so far. */
  #burstMs = 0;
  #lastChunkEndedAt = 0;
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

  /** Adds the time of one chunk to the burst. The idle time before the chunk makes the burst shorter. */
  #record(startedAt: number): void {
    const endedAt = steadyNow(this.#clock);
    if (endedAt - startedAt < NEGLIGIBLE_MS) return;
    const idleMs = startedAt - this.#lastChunkEndedAt;
    const earlierMs = Math.max(0, this.#burstMs - idleMs);
    this.#burstMs = earlierMs + endedAt - startedAt;
    this.#lastChunkEndedAt = endedAt;
    const isSingleChunk = earlierMs === 0;
    if (isSingleChunk || this.#burstMs < BURST_MS || this.#stopped || this.#stopTimer) return;
    const pauseMs = Math.min(PAUSE_FACTOR * this.#burstMs, MAX_PAUSE_MS);
    this.#burstMs = 0;
    this.#source.pause();
    this.#stopTimer = this.#clock.after(pauseMs, () => this.#resume());
  }

  #resume(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#source.resume();
  }
}

const MAX_UNREAD_CHARS = 4 * 1024 * 1024;

/** Pauses a server that sends requests without reading the responses, so that they do not fill the memory. */
export class UnreadResponses {
  readonly #source: PausableSource;
  #unreadLength = 0;
  #paused = false;

  constructor(source: PausableSource) {
    this.#source = source;
  }

  /** True while the source is paused. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Counts a response of this length until `written` settles. */
  async add(length: number, written: Promise<void>): Promise<void> {
    this.#unreadLength += length;
    this.#update();
    // The sender of the response handles the error.
    await written.catch(() => {});
    this.#unreadLength -= length;
    this.#update();
  }

  #update(): void {
    const shouldPause = this.#unreadLength > MAX_UNREAD_CHARS;
    if (shouldPause === this.#paused) return;
    this.#paused = shouldPause;
    if (shouldPause) this.#source.pause();
    else this.#source.resume();
  }
}

/** Lets several users pause one source. The source is read only while none of them pauses it. */
export class SharedPause {
  readonly #source: PausableSource;
  #pauseCount = 0;

  constructor(source: PausableSource) {
    this.#source = source;
  }

  /** Returns a handle for one more user. */
  createHandle(): PausableSource {
    let paused = false;
    return {
      pause: () => {
        if (paused) return;
        paused = true;
        if (++this.#pauseCount === 1) this.#source.pause();
      },
      resume: () => {
        if (!paused) return;
        paused = false;
        if (--this.#pauseCount === 0) this.#source.resume();
      },
    };
  }
}
