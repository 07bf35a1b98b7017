/** Limits the requests per second of each principal with a token bucket. Short bursts above the limit are allowed. */
import { HostError, steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";

/** A principal's remaining requests at a point in time. */
interface Bucket {
  remaining: number;
  at: number;
}

/** A burst may have as many requests as this many seconds allow. */
const BURST_SECONDS = 2;
/** Full buckets are deleted from time to time, because an external issuer may have any number of subjects. */
const MAX_BUCKETS = 1000;

export class RateLimiter {
  /** The requests per second that each principal may send. May be changed at any time. */
  perSecond: number;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, clock: Clock) {
    this.perSecond = perSecond;
    this.#clock = clock;
  }

  /** The principals whose requests are counted. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Counts one request. Throws TOO_MANY_REQUESTS if the principal has used up its requests. */
  count(principal: string): void {
    const bucket = this.#refilled(principal);
    if (bucket.remaining < 1) {
      const retryAfterMs = Math.ceil(((1 - bucket.remaining) * 1000) / this.perSecond);
      throw new HostError("TOO_MANY_REQUESTS", { limit: this.perSecond, retryAfterMs });
    }
    bucket.remaining -= 1;
  }

  #refilled(principal: string): Bucket {
    const now = steadyNow(this.#clock);
    const existing = this.#buckets.get(principal);
    if (existing) {
      existing.remaining = this.#remainingAt(existing, now);
      existing.at = now;
      return existing;
    }
    if (this.#buckets.size >= MAX_BUCKETS) this.#deleteFull(now);
    const created = { remaining: this.#capacity, at: now };
    this.#buckets.set(principal, created);
    return created;
  }

  #deleteFull(now: number): void {
    for (const [principal, bucket] of this.#buckets) {
      if (this.#remainingAt(bucket, now) >= this.#capacity) this.#buckets.delete(principal);
    }
  }

  #remainingAt({ remaining, at }: Bucket, now: number): number {
    return Math.min(this.#capacity, remaining + ((now - at) / 1000) * this.perSecond);
  }

  get #capacity(): number {
    return this.perSecond * BURST_SECONDS;
  }
}
