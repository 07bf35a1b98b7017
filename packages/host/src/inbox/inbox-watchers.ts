/**
 * The callers whose user watches the inbox. A question of a caller without a user of its own goes to them. Knows who
 * watches, but not which questions are open.
 */
import { abortable, cancelled, Listeners } from "@plugboard/contracts";
import type { Caller, Clock } from "@plugboard/contracts";

/** How long a question waits for somebody to watch the inbox. The wait begins again when the last watcher leaves. */
const UNWATCHED_MS = 5000;
/** How long a user who has listed the inbox counts as watching it: long enough to read a question and to answer it. */
const LISTING_MS = 60_000;

export interface UnwatchedWait {
  /** Aborts when nobody has watched for the whole wait. */
  readonly unwatched: AbortSignal;
  /** The time at which the wait ends unless somebody watches or lists the inbox. Undefined while somebody watches. */
  readonly endsAt: number | undefined;
  stop(): void;
}

export class InboxWatchers {
  readonly #clock: Clock;
  readonly #watchers = new Set<string>();
  /** Until this time, a user who has listed the inbox counts as watching it. */
  #listedUntil = -Infinity;
  readonly #listeners = new Listeners();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if somebody watches the inbox now. */
  get present(): boolean {
    return this.#watchers.size > 0 || this.#clock.now() < this.#listedUntil;
  }

  /** Returns the function that ends the watch. */
  add(caller: Caller): () => void {
    this.#watchers.add(caller.id);
    this.#listeners.emit();
    return () => {
      if (this.#watchers.delete(caller.id)) this.#listeners.emit();
    };
  }

  /** Counts a user who lists the inbox as watching it for a minute. */
  addListing(): void {
    this.#listedUntil = this.#clock.now() + LISTING_MS;
    this.#listeners.emit();
  }

  /**
   * Waits for an answer while a user watches the inbox, who can give it. Resolves to false if nobody watches, or when
   * nobody watches any more. Rejects if the signal aborts.
   */
  async waitForAnswer(answer: (unwatched: AbortSignal) => Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
    if (!this.present) return false;
    const wait = this.waitUntilUnwatched();
    const { unwatched } = wait;
    const ended = signal ? AbortSignal.any([signal, unwatched]) : unwatched;
    try {
      return await abortable(answer(ended), ended);
    } catch (thrown) {
      if (signal?.aborted) throw cancelled();
      if (unwatched.aborted) return false;
      throw thrown;
    } finally {
      wait.stop();
    }
  }

  /** Starts a wait that ends when nobody watches for a few seconds. The wait restarts when the last watcher leaves. */
  waitUntilUnwatched(): UnwatchedWait {
    const unwatched = new AbortController();
    let cancelTimer: (() => void) | undefined;
    let endsAt: number | undefined;
    const update = () => {
      cancelTimer?.();
      cancelTimer = undefined;
      endsAt = undefined;
      if (this.#watchers.size > 0) return;
      const now = this.#clock.now();
      endsAt = Math.max(now, this.#listedUntil) + UNWATCHED_MS;
      cancelTimer = this.#clock.after(endsAt - now, () => unwatched.abort());
    };
    update();
    const stopListening = this.#listeners.add(update);
    return {
      unwatched: unwatched.signal,
      get endsAt() {
        return endsAt;
      },
      stop: () => {
        cancelTimer?.();
        stopListening();
      },
    };
  }
}
