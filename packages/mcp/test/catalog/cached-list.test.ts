import { CachedList } from "#catalog/cached-list.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

interface List {
  readonly number: number;
  readonly ttlMs?: number;
}

/** Returns a cache whose listings end when the test calls `end` or `fail`. */
function makeCache(last?: List) {
  const clock = new ManualClock();
  const listings: { end: (ttlMs?: number) => void; fail: () => void }[] = [];
  const cache = new CachedList<List>(clock, last);
  const list = () =>
    new Promise<List>((resolve, reject) => {
      const number = listings.length + 1;
      listings.push({
        end: (ttlMs) => resolve({ number, ...(ttlMs !== undefined && { ttlMs }) }),
        fail: () => reject(new Error("lost")),
      });
    });
  return { clock, cache, listings, use: () => cache.get(list).then(({ number }) => number) };
}

describe("CachedList", () => {
  it("fetches the list on first use, once for all waiting callers, and caches it", async () => {
    const { cache, listings, use } = makeCache();
    expect(cache.last).toBeUndefined();
    const both = [use(), use()];
    listings[0]!.end();
    expect(await Promise.all(both)).toEqual([1, 1]);
    expect(await use()).toBe(1);
    expect(listings).toHaveLength(1);
  });

  it("shows a stored list, but fetches it again when it is used", async () => {
    const { cache, listings, use } = makeCache({ number: 0 });
    expect(cache).toMatchObject({ last: { number: 0 }, fresh: false });
    const used = use();
    listings[0]!.end();
    expect(await used).toBe(1);
  });

  it("fetches once on the next use after any number of changes", async () => {
    const { cache, listings, use } = makeCache();
    const first = use();
    listings[0]!.end();
    await first;
    expect([cache.invalidate(), cache.invalidate(), cache.invalidate()]).toEqual([true, false, false]);
    expect(listings).toHaveLength(1);
    const second = use();
    listings[1]!.end();
    expect(await second).toBe(2);
  });

  it("fetches once more if the list changes during a fetch", async () => {
    const { cache, listings, use } = makeCache();
    const first = use();
    expect(cache.invalidate()).toBe(true);
    listings[0]!.end();
    expect(await first).toBe(1);
    expect(cache.fresh).toBe(false);
    const second = use();
    listings[1]!.end();
    expect(await second).toBe(2);
  });

  it("is not fresh while a changed list is fetched again", async () => {
    const { cache, listings, use } = makeCache();
    const first = use();
    listings[0]!.end();
    await first;
    cache.invalidate();
    const [second, third] = [use(), use()];
    listings[1]!.end();
    expect(await Promise.all([second, third])).toEqual([2, 2]);
  });

  it("expires after the server's ttl and is fetched only on the next use", async () => {
    const { clock, listings, cache, use } = makeCache();
    const first = use();
    listings[0]!.end(1000);
    await first;
    clock.advance(999);
    expect(await use()).toBe(1);
    clock.advance(1);
    expect(cache.fresh).toBe(false);
    clock.advance(100_000);
    expect(listings).toHaveLength(1);
    const second = use();
    listings[1]!.end(0);
    expect(await second).toBe(2);
    expect(cache.fresh).toBe(false);
  });

  it("keeps the last list if a fetch fails, and fetches again on the next use", async () => {
    const { cache, listings, use } = makeCache({ number: 0 });
    const first = use();
    listings[0]!.fail();
    await expect(first).rejects.toThrow("lost");
    expect(cache).toMatchObject({ last: { number: 0 }, fresh: false });
    const second = use();
    listings[1]!.end();
    expect(await second).toBe(2);
  });

  it("ignores the result of a fetch that was started before a reset", async () => {
    const { cache, listings, use } = makeCache();
    const first = use();
    cache.reset();
    const second = use();
    listings[1]!.end();
    expect(await second).toBe(2);
    listings[0]!.end();
    expect(await first).toBe(1);
    expect(cache).toMatchObject({ last: { number: 2 }, fresh: true });
  });
});
