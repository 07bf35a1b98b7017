/** A list as it was last seen. It is listed when it is used and not, or no longer, good; by itself it does nothing. */
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";

export class CachedList<List extends { readonly ttlMs?: number }> {
  readonly #clock: Clock;
  #last: List | undefined;
  #listedAt = 0;
  #valid = false;
  #listing: Promise<List> | undefined;

  /** `last` is from before: something to show, but nothing to rely on. */
  constructor(clock: Clock, last?: List) {
    this.#clock = clock;
    this.#last = last;
  }

  get last(): List | undefined {
    return this.#last;
  }

  /** Whether it need not be listed now. */
  get fresh(): boolean {
    if (this.#listing) return this.#valid;
    const ttlMs = this.#last?.ttlMs;
    return this.#valid && (ttlMs === undefined || steadyNow(this.#clock) < this.#listedAt + ttlMs);
  }

  /** It is no longer what it was. Tells whether that is news: however often it is said, it is listed once. */
  invalidate(): boolean {
    const wasValid = this.#valid;
    this.#valid = false;
    return wasValid;
  }

  /** What is being listed is not waited for any more, and does not count. */
  reset(): void {
    this.#valid = false;
    this.#listing = undefined;
  }

  /** The list, good or listed by `list`; once for all who want it. */
  get(fetchList: () => Promise<List>): Promise<List> {
    if (this.#listing) return this.#listing;
    if (this.#last && this.fresh) return Promise.resolve(this.#last);
    const listedAt = steadyNow(this.#clock);
    // From here on a change may be one that the list to come does not show.
    this.#valid = true;
    const listing = fetchList().then(
      (listed) => {
        if (this.#listing !== listing) return listed;
        this.#listing = undefined;
        this.#listedAt = listedAt;
        return (this.#last = listed);
      },
      (error: unknown) => {
        if (this.#listing === listing) this.reset();
        throw error;
      },
    );
    this.#listing = listing;
    return listing;
  }
}
