/**
 * The callers whose user watches the inbox. A question of a caller without a user of its own goes to them. Knows who
 * watches, but not which questions are open.
 */
import { abortable, cancelled, Listeners } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";

/** How long a question waits for somebody to watch the inbox, before and after others have watched it. */
const UNWATCHED_MS = 5000;

export interface UnwatchedWait {
  /** Aborts when nobody has watched for the whole wait. */
  readonly unwatched: AbortSignal;
  stop(): void;
}

export class InboxWatchers {
  readonly #clock: Clock;
  readonly #watchers = new Set<string>();
  readonly #listeners = new Listeners();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether somebody watches the inbox now. */
  get present(): boolean {
    return this.#watchers.size > 0;
  }

  /** Returns the function that ends the watch. */
  add(caller: Caller): () => void {
    this.#watchers.add(caller.id);
    this.#listeners.emit();
    return () => {
      if (this.#watchers.delete(caller.id)) this.#listeners.emit();
    };
  }

  /**
   * Waits for an answer that a user who watches the inbox can give. Resolves to false if nobody watches, at once or
   * later. Rejects if the signal aborts.
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
    const update = () => {
      cancelTimer?.();
      cancelTimer = this.present ? undefined : this.#clock.after(UNWATCHED_MS, () => unwatched.abort());
    };
    update();
    const stopListening = this.#listeners.add(update);
    return {
      unwatched: unwatched.signal,
      stop: () => {
        cancelTimer?.();
        stopListening();
      },
    };
  }
}
