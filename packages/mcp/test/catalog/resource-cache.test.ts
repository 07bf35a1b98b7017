import { ResourceCache } from "#catalog/resource-cache.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const result = (text: string, ttlMs: number) => ({ contents: [{ uri: "a:1", text }], ttlMs });

function cache() {
  const clock = new ManualClock();
  return { clock, reads: new ResourceCache(clock) };
}

describe("ResourceCache", () => {
  it("keeps a result for the server's ttl", () => {
    const { clock, reads } = cache();
    expect(reads.set("a:1", result("x", 1000))).toBe(true);
    clock.advance(999);
    expect(reads.get("a:1")).toEqual(result("x", 1000));
    clock.advance(1);
    expect(reads.get("a:1")).toBeUndefined();
  });

  it.each([undefined, null, "1000", -5, 0, Number.NaN])("does not cache a result with the ttl %s", (ttlMs) => {
    const { reads } = cache();
    expect(reads.set("a:1", { contents: [], ...(ttlMs !== undefined && { ttlMs }) })).toBe(false);
    expect(reads.get("a:1")).toBeUndefined();
  });

  it("removes the old result when a newer one may not be cached", () => {
    const { reads } = cache();
    reads.set("a:1", result("old", 1000));
    reads.set("a:1", result("new", 0));
    expect(reads.get("a:1")).toBeUndefined();
  });

  it("removes an updated resource and the resources that contain it", () => {
    const { reads } = cache();
    for (const uri of ["file:///a", "file:///a/b", "file:///c"]) reads.set(uri, result(uri, 1000));
    const { invalidations } = reads;
    reads.invalidate("file:///a/b");
    expect(reads.invalidations).toBe(invalidations + 1);
    expect(["file:///a", "file:///a/b", "file:///c"].map((uri) => reads.get(uri) !== undefined)).toEqual([
      false,
      false,
      true,
    ]);
    reads.clear();
    expect(reads.get("file:///c")).toBeUndefined();
  });

  it("removes the least recently read entry when it holds too many", () => {
    const { reads } = cache();
    for (let n = 0; n < 1000; n++) reads.set(`a:${n}`, result("x", 1000));
    reads.get("a:0");
    reads.set("a:1000", result("x", 1000));
    expect(reads.get("a:0")).toBeDefined();
    expect(reads.get("a:1")).toBeUndefined();
    expect(reads.get("a:1000")).toBeDefined();
  });

  it("removes old entries when they are too large in total", () => {
    const { reads } = cache();
    const megabytes = "x".repeat(5 * 1024 * 1024);
    for (let n = 0; n < 5; n++) reads.set(`a:${n}`, result(megabytes, 1000));
    expect([0, 1, 2, 3, 4].map((n) => reads.get(`a:${n}`) !== undefined)).toEqual([false, false, true, true, true]);
    expect(reads.set("b", result(megabytes.repeat(4), 1000))).toBe(false);
    for (let n = 5; n < 8; n++) reads.set(`a:${n}`, result(megabytes, 1000));
    expect(reads.get("a:7")).toBeDefined();
  });
});
