/**
 * The requests that were given up before their time was over. The other side may still work on them: one that does
 * one thing at a time answers nothing else until then.
 */
import type { RequestId } from "./message.ts";

/** A server that stops at once never answers what was given up; only so many are remembered, the latest. */
const MAX_REMEMBERED = 1024;

export class Unfinished {
  /** When each would have timed out. */
  readonly #until = new Map<RequestId, number>();

  /** `until` is when the request would have timed out. */
  add(id: RequestId, until: number): void {
    this.#until.set(id, until);
    if (this.#until.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#until.keys()) return void this.#until.delete(oldest);
  }

  answered(id: RequestId): void {
    this.#until.delete(id);
  }

  /** Returns true if one of them may still be worked on. */
  any(now: number): boolean {
    for (const [id, until] of this.#until) {
      if (until > now) return true;
      this.#until.delete(id);
    }
    return false;
  }
}
