/** Caches a list of a server. Fetches it again on the next use after it was invalidated or has expired. */
import { steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";

export class CachedList<List extends { readonly ttlMs?: number }> {
  readonly #clock: Clock;
  #last: List | undefined;
  #listedAt = 0;
  #valid = false;
  #listing: Promise<List> | undefined;

  /** `last` is a stored list, which is shown but counts as invalid. */
  constructor(clock: Clock, last?: List) {
    this.#clock = clock;
    this.#last = last;
  }

  get last(): List | undefined {
    return this.#last;
  }

  /** True if the list is valid and not expired. */
  get fresh(): boolean {
    // The list that is being fetched is fresh, unless the server has reported a change since the fetch began.
    if (this.#listing) return this.#valid;
    const ttlMs = this.#last?.ttlMs;
    return this.#valid && (ttlMs === undefined || steadyNow(this.#clock) < this.#listedAt + ttlMs);
  }

  /** True while the list is being fetched. */
  get isListing(): boolean {
    return this.#listing !== undefined;
  }

  /** Marks the list as changed. Returns false if it was already marked. */
  invalidate(): boolean {
    const wasValid = this.#valid;
    this.#valid = false;
    return wasValid;
  }

  /** Marks the list as invalid, and ignores the result of a running listing. */
  reset(): void {
    this.#valid = false;
    this.#listing = undefined;
  }

  /** Returns the cached list if it is fresh. Otherwise calls `fetchList`, once for all waiting callers. */
  get(fetchList: () => Promise<List>): Promise<List> {
    if (this.#listing) return this.#listing;
    if (this.#last && this.fresh) return Promise.resolve(this.#last);
    const listedAt = steadyNow(this.#clock);
    // The list counts as valid from now on. A change that is reported during the fetch may be missing in it, and
    // invalidates it again.
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
