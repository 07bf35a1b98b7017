/**
 * Calculates how long a response is delayed after the last progress of its request. Clients with SDK 1.x handle a
 * notification one microtask after it was read, but a response at once. The response removes the handler of progress.
 * So progress that is read together with the response is lost.
 */
import type { Json, Clock } from "@plugboard/contracts";
import { steadyNow } from "@plugboard/contracts";

/** The least time between progress and the response, so that a client reads them separately. */
const GAP_MS = 5;
/** Beyond this number, tokens whose time has passed are dropped: their requests were cancelled, or have other ids. */
const MAX_TOKENS = 64;

export class ProgressGap {
  readonly #clock: Clock;
  /** When the last progress was sent, by its token. The SDKs use the id of the request as token. */
  readonly #sentAt = new Map<Json | undefined, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of tokens that are remembered. */
  get size(): number {
    return this.#sentAt.size;
  }

  /** Called when progress is sent. */
  recordProgress(token: Json | undefined): void {
    const now = steadyNow(this.#clock);
    if (this.size >= MAX_TOKENS) {
      for (const [old, at] of this.#sentAt) if (now - at >= GAP_MS) this.#sentAt.delete(old);
    }
    this.#sentAt.set(token, now);
  }

  /**
   * Returns the milliseconds until the response to the request may be sent. Returns 0 for a request without progress.
   */
  takeDelay(id: Json | undefined): number {
    if (this.size === 0) return 0;
    const at = this.#sentAt.get(id);
    if (at === undefined) return 0;
    this.#sentAt.delete(id);
    return Math.max(0, at + GAP_MS - steadyNow(this.#clock));
  }
}
