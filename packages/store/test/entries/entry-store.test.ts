/** Tests the contract of entry stores, with each implementation. */
import { OWNER } from "@plugboard/contracts";
import type { Entry, EntryEvent, EntryStore } from "#entries/entry-store.js";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { storeKinds } from "../helpers/entry-stores.ts";

describe.each(storeKinds)("%s", (_, openStores) => {
  let clock: ManualClock;
  let store: EntryStore;
  let other: EntryStore;
  beforeEach(async () => ({ clock, store, other } = await openStores()));

  const versionOf = async (key: string) => (await store.get("k", key))!.version;
  const keysOf = (entries: readonly Entry[]) => entries.map(({ key }) => key).toSorted();

  describe("get, list, put and remove", () => {
    it("return what was written, until it is removed", async () => {
      expect(await store.get("k", "a")).toBeUndefined();
      expect(await store.list("k")).toEqual([]);
      const put = await store.put("k", "a", { n: 1, deep: { list: [null, "ä"] } });
      if (!put.written) throw new Error("not written");
      const entry = { key: "a", version: put.version, value: { n: 1, deep: { list: [null, "ä"] } } };
      expect(await other.get("k", "a")).toEqual(entry);
      expect(await other.list("k")).toEqual([entry]);
      expect(await other.remove("k", "a")).toBe(true);
      expect(await store.get("k", "a")).toBeUndefined();
      expect(await store.remove("k", "a")).toBe(false);
    });

    it("keep entries apart that have the same key but different kinds", async () => {
      await store.put("k", "a", { n: 1 });
      await store.put("k2", "a", { n: 2 });
      await store.remove("k", "a");
      expect((await store.get("k2", "a"))?.value).toEqual({ n: 2 });
    });

    it("return copies, so that a caller can't change an entry in place", async () => {
      const value = { list: [1] };
      await store.put("k", "a", value);
      value.list.push(2);
      ((await store.get("k", "a"))!.value["list"] as number[]).push(3);
      expect((await store.get("k", "a"))!.value).toEqual({ list: [1] });
    });

    it.each([
      "../../etc/passwd",
      "/",
      "..",
      "CON",
      "a\0b",
      "a\nb",
      "ä",
      "a\u0308",
      "💥",
      "\ud83d",
      "\udca5",
      "\ufffd",
      "__proto__",
      "x".repeat(4096),
    ])("keep the key %j apart from all others", async (key) => {
      await store.put("k", "neighbour", {});
      await store.put("k", `${key.slice(0, 4000)}x`, {});
      await store.put("k", key, { mine: true });
      expect(await other.get("k", key)).toMatchObject({ key, value: { mine: true } });
      expect(keysOf(await store.list("k"))).toEqual(["neighbour", `${key.slice(0, 4000)}x`, key].toSorted());
      expect(await store.remove("k", key)).toBe(true);
      expect(await store.list("k")).toHaveLength(2);
    });

    it("keep keys apart that become the same in UTF-8", async () => {
      for (const key of ["\ud83d", "\udca5", "\ufffd"]) await store.put("k", key, { key: JSON.stringify(key) });
      expect((await other.get("k", "\ud83d"))?.value).toEqual({ key: '"\\ud83d"' });
      expect(await store.list("k")).toHaveLength(3);
    });

    it.each(["", "x".repeat(4097)])("refuse a key that is empty or too long", async (key) => {
      await expect(store.put("k", key, {})).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
      await expect(store.get("k", key)).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    });

    it.each(["", "..", "a/b", "A", "a.lock", "x".repeat(65)])("refuse the kind %j", async (kind) => {
      await expect(store.put(kind, "a", {})).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
      await expect(store.list(kind)).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    });
  });

  describe("put with a condition", () => {
    it("writes with ifAbsent only if there is no entry, and otherwise returns the entry", async () => {
      await store.put("k", "a", { by: 1 }, { ifAbsent: true });
      const lost = await other.put("k", "a", { by: 2 }, { ifAbsent: true });
      expect(lost).toMatchObject({ written: false, current: { key: "a", value: { by: 1 } } });
      expect((await store.get("k", "a"))?.value).toEqual({ by: 1 });
    });

    it("writes and removes with ifVersion only the version that was read", async () => {
      await store.put("k", "a", { n: 1 });
      const read = await versionOf("a");
      expect(await other.put("k", "a", { n: 2 }, { ifVersion: read })).toMatchObject({ written: true });
      const lost = await store.put("k", "a", { n: 3 }, { ifVersion: read });
      expect(lost).toMatchObject({ written: false, current: { value: { n: 2 } } });
      expect(await store.remove("k", "a", { ifVersion: read })).toBe(false);
      expect(await store.remove("k", "a", { ifVersion: await versionOf("a") })).toBe(true);
      expect(await store.put("k", "a", {}, { ifVersion: read })).toEqual({ written: false, current: undefined });
    });

    it("gives an entry a new version if it is removed and written again", async () => {
      await store.put("k", "a", { n: 1 });
      const before = await versionOf("a");
      await store.remove("k", "a");
      await other.put("k", "a", { n: 1 });
      expect(await store.put("k", "a", {}, { ifVersion: before })).toMatchObject({ written: false });
    });

    it("loses no change if each writer retries with the version it has read", async () => {
      await store.put("k", "count", { n: 0 });
      const add = async (writer: EntryStore) => {
        for (;;) {
          const { value, version } = (await writer.get("k", "count"))!;
          const put = await writer.put("k", "count", { n: (value["n"] as number) + 1 }, { ifVersion: version });
          if (put.written) return;
        }
      };
      await Promise.all(Array.from({ length: 12 }, (_, at) => add(at % 2 ? store : other)));
      expect((await store.get("k", "count"))?.value).toEqual({ n: 12 });
    });
  });

  describe("limits", () => {
    it("refuse a value that is too large, and keep the old one", async () => {
      ({ store } = await openStores({ maxValueBytes: 100 }));
      await store.put("k", "a", { text: "x".repeat(80) });
      const tooLarge = store.put("k", "a", { text: "ä".repeat(80) });
      await expect(tooLarge).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
      expect((await store.get("k", "a"))?.value).toEqual({ text: "x".repeat(80) });
    });

    it("refuse a new entry beyond the maximum, until another entry is removed or has expired", async () => {
      ({ clock, store } = await openStores({ maxEntries: 2 }));
      await store.put("k", "a", {});
      await store.put("k", "b", {}, { expiresAt: 100 });
      await expect(store.put("k", "c", {})).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
      await store.put("k", "a", { changed: true });
      await store.put("other", "c", {});
      clock.advance(100);
      await store.put("k", "c", {});
      await expect(store.put("k", "d", {})).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
      await store.remove("k", "a");
      await store.put("k", "d", {});
      expect(keysOf(await store.list("k"))).toEqual(["c", "d"]);
    });
  });

  describe("the share of a holder", () => {
    beforeEach(async () => ({ clock, store, other } = await openStores({ maxEntries: 4, maxPerHolder: 2 })));
    const use = (key: string, holder: string, from = store) => from.once("k", key, 100, holder);
    const full = { code: "STORE_UNWRITABLE", details: { reason: expect.stringContaining("2 entries") as string } };

    it("limits its entries, also those that another process wrote, and leaves room for other holders", async () => {
      expect([await use("a", "ann"), await use("b", "ann", other)]).toEqual([true, true]);
      await expect(use("c", "ann")).rejects.toMatchObject(full);
      await expect(use("c", "ann", other)).rejects.toMatchObject(full);
      expect(await use("c", "bob")).toBe(true);
    });

    it("is kept for the owner, even if other holders have used up the maximum of all entries", async () => {
      for (const holder of ["ann", "bob"]) for (const n of [1, 2]) await use(`${holder} ${n}`, holder);
      await expect(use("a", "eve")).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
      expect([await use("b", OWNER.id), await use("c", OWNER.id, other)]).toEqual([true, true]);
      await expect(use("d", OWNER.id)).rejects.toMatchObject(full);
    });

    it("still knows the entries that fill it", async () => {
      for (const key of ["a", "b"]) await use(key, "ann");
      expect([await use("a", "ann"), await use("b", "ann", other)]).toEqual([false, false]);
    });

    it("has room again when its entries have expired or were removed", async () => {
      for (const key of ["a", "b"]) await use(key, "ann");
      await store.remove("k", "a");
      expect(await use("c", "ann")).toBe(true);
      await expect(use("d", "ann")).rejects.toMatchObject(full);
      clock.advance(100);
      expect(await store.once("k", "d", 200, "ann")).toBe(true);
    });
  });

  describe("an entry with an expiry", () => {
    it("is absent as soon as it has expired by the wall clock", async () => {
      await store.put("k", "a", {}, { expiresAt: 1000 });
      clock.advance(999);
      expect(await store.get("k", "a")).toMatchObject({ expiresAt: 1000 });
      clock.shiftWallClock(1);
      expect(await store.get("k", "a")).toBeUndefined();
      expect(await store.list("k")).toEqual([]);
      expect(await store.remove("k", "a")).toBe(false);
      expect(await store.put("k", "a", { again: true }, { ifAbsent: true })).toMatchObject({ written: true });
      expect((await other.get("k", "a"))?.value).toEqual({ again: true });
    });

    it("is removed by a later write of another entry", async () => {
      await store.put("k", "a", {}, { expiresAt: 1000 });
      clock.advance(60_000);
      await store.put("k", "b", {});
      // By the earlier time, the entry would still be valid. It is missing only because it was removed.
      clock.shiftWallClock(-60_000);
      expect(keysOf(await store.list("k"))).toEqual(["b"]);
    });

    it.each([Number.NaN, Number.POSITIVE_INFINITY])("is refused if the expiry is %d", async (expiresAt) => {
      await expect(store.put("k", "a", {}, { expiresAt })).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    });
  });

  describe("once", () => {
    it("returns true to one of many callers, and false to all others until it expires", async () => {
      const tries = Array.from({ length: 20 }, (_, at) => (at % 2 ? store : other).once("k", "a", 1000));
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
      clock.advance(999);
      expect(await other.once("k", "a", 5000)).toBe(false);
      clock.advance(1);
      expect(await other.once("k", "a", 5000)).toBe(true);
    });

    it("returns false if `expiresAt` has passed", async () => {
      clock.advance(1000);
      expect(await store.once("k", "a", 1000)).toBe(false);
      expect(await store.list("k")).toEqual([]);
    });
  });

  describe("lease", () => {
    it("has one holder although many request it, and passes to another after its release", async () => {
      const tries = Array.from({ length: 10 }, (_, at) => (at % 2 ? store : other).lease("k", "a", 1000));
      const [held, ...more] = (await Promise.all(tries)).filter((lease) => lease !== undefined);
      expect(more).toEqual([]);
      await held!.release();
      expect(await held!.renew()).toBe(false);
      const next = await other.lease("k", "a", 1000);
      expect(next).toBeDefined();
      expect(held!.lost.aborted).toBe(false);
    });

    it("stays with a holder that renews it, whatever the wall clock does", async () => {
      const held = (await store.lease("k", "a", 1000))!;
      for (const shift of [3_600_000, -7_200_000, 0, 0]) {
        clock.shiftWallClock(shift);
        clock.advance(900);
        expect(await other.lease("k", "a", 1000)).toBeUndefined();
        expect(await held.renew()).toBe(true);
      }
      expect(held.lost.aborted).toBe(false);
    });

    it("is lost if it is not renewed in time, and its holder is notified at once", async () => {
      const held = (await store.lease("k", "a", 1000))!;
      expect(await other.lease("k", "a", 1000)).toBeUndefined();
      clock.advance(999);
      expect(held.lost.aborted).toBe(false);
      clock.advance(1);
      expect(held.lost.aborted).toBe(true);
      expect(await held.renew()).toBe(false);
      const next = await other.lease("k", "a", 1000);
      expect(next).toBeDefined();
      await held.release();
      expect(await next!.renew()).toBe(true);
    });

    it("is lost if its entry is removed", async () => {
      const held = (await store.lease("k", "a", 1000))!;
      await other.remove("k", "a");
      expect(await held.renew()).toBe(false);
      expect(held.lost.aborted).toBe(true);
      expect(clock.pendingTimers).toBe(0);
    });

    it("leaves no timer after its release", async () => {
      const held = (await store.lease("k", "a", 1000))!;
      await held.renew();
      await held.release();
      expect(clock.pendingTimers).toBe(0);
    });
  });

  describe("events", () => {
    async function follow(kind: string) {
      const events: EntryEvent[] = [];
      const stop = await other.events(kind, (event) => events.push(event));
      onTestFinished(stop);
      return { events, stop };
    }

    it("report changes of entries of the kind, but none from before the subscription", async () => {
      await store.put("k", "a", {});
      const { events, stop } = await follow("k");
      const version = await versionOf("a");
      await store.put("other", "x", {});
      await store.put("k", "b", {});
      await vi.waitFor(() => expect(events).toHaveLength(1), 10_000);
      await store.remove("k", "a");
      await vi.waitFor(() => expect(events).toHaveLength(2), 10_000);
      await store.put("k", "b", { changed: true });
      await vi.waitFor(() => expect(events).toHaveLength(3), 10_000);
      expect(events).toEqual([
        { type: "put", key: "b", version: expect.any(String) as string },
        { type: "removed", key: "a", version },
        { type: "put", key: "b", version: await versionOf("b") },
      ]);
      stop();
      await store.remove("k", "b");
      const later = await follow("k");
      await store.put("k", "c", {});
      await vi.waitFor(() => expect(later.events).toHaveLength(1), 10_000);
      expect(events).toHaveLength(3);
    });

    it("report an expired entry when a write removes it", async () => {
      await store.put("k", "a", {}, { expiresAt: 1000 });
      const { events } = await follow("k");
      clock.advance(60_000);
      await store.put("k", "b", {});
      await vi.waitFor(() => expect(events).toHaveLength(2), 10_000);
      expect(events).toMatchObject([
        { type: "removed", key: "a" },
        { type: "put", key: "b" },
      ]);
    });
  });
});
