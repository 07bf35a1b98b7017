/**
 * The requests that were given up before their time was over. The other side may still work on them: one that does
 * one thing at a time answers nothing else until then.
 */
import type { RequestId } from "./message.ts";

/** A server that stops at once never answers what was given up; only so many are remembered, the latest. */
const MAX_REMEMBERED = 1024;

export class AbandonedRequests {
  /** When each would have timed out. */
  readonly #timeoutAt = new Map<RequestId, number>();

  /** `until` is when the request would have timed out. */
  add(id: RequestId, timeoutAt: number): void {
    this.#timeoutAt.set(id, timeoutAt);
    if (this.#timeoutAt.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#timeoutAt.keys()) return void this.#timeoutAt.delete(oldest);
  }

  answered(id: RequestId): void {
    this.#timeoutAt.delete(id);
  }

  /** Returns true if one of them may still be worked on. */
  anyRunning(now: number): boolean {
    for (const [id, timeoutAt] of this.#timeoutAt) {
      if (timeoutAt > now) return true;
      this.#timeoutAt.delete(id);
    }
    return false;
  }
}
