import { CachedList } from "#catalog/cached-list.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../helpers/manual-clock.ts";

interface List {
  readonly number: number;
  readonly ttlMs?: number;
}

/** Each listing is ended by the test. */
function keep(last?: List) {
  const clock = new ManualClock();
  const listings: { end: (ttlMs?: number) => void; fail: () => void }[] = [];
  const kept = new CachedList<List>(clock, last);
  const list = () =>
    new Promise<List>((resolve, reject) => {
      const number = listings.length + 1;
      listings.push({
        end: (ttlMs) => resolve({ number, ...(ttlMs !== undefined && { ttlMs }) }),
        fail: () => reject(new Error("lost")),
      });
    });
  return { clock, kept, listings, use: () => kept.get(list).then(({ number }) => number) };
}

describe("a list", () => {
  it("is listed when it is first used, once for all, and then kept", async () => {
    const { kept, listings, use } = keep();
    expect(kept.last).toBeUndefined();
    const both = [use(), use()];
    listings[0]!.end();
    expect(await Promise.all(both)).toEqual([1, 1]);
    expect(await use()).toBe(1);
    expect(listings).toHaveLength(1);
  });

  it("of before is something to show, and is listed all the same when it is used", async () => {
    const { kept, listings, use } = keep({ number: 0 });
    expect(kept).toMatchObject({ last: { number: 0 }, fresh: false });
    const used = use();
    listings[0]!.end();
    expect(await used).toBe(1);
  });

  it("is listed again at the next use after it has changed, however often that is said", async () => {
    const { kept, listings, use } = keep();
    const first = use();
    listings[0]!.end();
    await first;
    expect([kept.invalidate(), kept.invalidate(), kept.invalidate()]).toEqual([true, false, false]);
    expect(listings).toHaveLength(1);
    const second = use();
    listings[1]!.end();
    expect(await second).toBe(2);
  });

  it("that changes while it is listed is listed once more", async () => {
    const { kept, listings, use } = keep();
    const first = use();
    expect(kept.invalidate()).toBe(true);
    listings[0]!.end();
    expect(await first).toBe(1);
    expect(kept.fresh).toBe(false);
    const second = use();
    listings[1]!.end();
    expect(await second).toBe(2);
  });

  it("is not taken for good while it is being listed again", async () => {
    const { kept, listings, use } = keep();
    const first = use();
    listings[0]!.end();
    await first;
    kept.invalidate();
    const [second, third] = [use(), use()];
    listings[1]!.end();
    expect(await Promise.all([second, third])).toEqual([2, 2]);
  });

  it("is good for as long as its server says, and is not listed by itself afterwards", async () => {
    const { clock, listings, kept, use } = keep();
    const first = use();
    listings[0]!.end(1000);
    await first;
    clock.advance(999);
    expect(await use()).toBe(1);
    clock.advance(1);
    expect(kept.fresh).toBe(false);
    clock.advance(100_000);
    expect(listings).toHaveLength(1);
    const second = use();
    listings[1]!.end(0);
    expect(await second).toBe(2);
    expect(kept.fresh).toBe(false);
  });

  it("that can't be listed is as it was, and is listed at the next use", async () => {
    const { kept, listings, use } = keep({ number: 0 });
    const first = use();
    listings[0]!.fail();
    await expect(first).rejects.toThrow("lost");
    expect(kept).toMatchObject({ last: { number: 0 }, fresh: false });
    const second = use();
    listings[1]!.end();
    expect(await second).toBe(2);
  });

  it("does not wait for a listing that was forgotten, nor is changed by it", async () => {
    const { kept, listings, use } = keep();
    const first = use();
    kept.reset();
    const second = use();
    listings[1]!.end();
    expect(await second).toBe(2);
    listings[0]!.end();
    expect(await first).toBe(1);
    expect(kept).toMatchObject({ last: { number: 2 }, fresh: true });
  });
});
