/**
 * Limits how many wrong tokens and codes a client's address may send in a minute. Valid tokens and codes are never
 * counted or refused, so nobody can lock the owner out. Requests without a token are not counted: their answer says
 * where to get one.
 */
import type { IncomingMessage } from "node:http";
import { HostError, steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";

const MAX_FAILURES = 100;
const WINDOW_MS = 60_000;
/** Clients on other machines can have any number of addresses. Above this limit, the oldest windows are dropped. */
const MAX_ADDRESSES = 1000;

interface Window {
  readonly endsAt: number;
  failures: number;
}

export class FailedSignIns {
  readonly #clock: Clock;
  /** The windows by address, in the order in which they end. */
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a failure. Returns the error to answer with: UNAUTHORIZED, or TOO_MANY_REQUESTS above the limit. */
  countAndMakeError({ socket }: IncomingMessage): HostError {
    const now = steadyNow(this.#clock);
    const window = this.#windowOf(socket.remoteAddress ?? "", now);
    window.failures++;
    if (window.failures <= MAX_FAILURES) return new HostError("UNAUTHORIZED", {});
    const retryAfterMs = Math.ceil(window.endsAt - now);
    return new HostError("TOO_MANY_REQUESTS", { limit: MAX_FAILURES, retryAfterMs, per: "failures" });
  }

  #windowOf(address: string, now: number): Window {
    this.#deleteWhile(({ endsAt }) => endsAt <= now);
    const existing = this.#windows.get(address);
    if (existing) return existing;
    this.#deleteWhile(() => this.#windows.size >= MAX_ADDRESSES);
    const created = { endsAt: now + WINDOW_MS, failures: 0 };
    this.#windows.set(address, created);
    return created;
  }

  /** Deletes windows in order, up to the first to which the condition does not apply. */
  #deleteWhile(condition: (window: Window) => boolean): void {
    for (const [address, window] of this.#windows) {
      if (!condition(window)) return;
      this.#windows.delete(address);
    }
  }
}
