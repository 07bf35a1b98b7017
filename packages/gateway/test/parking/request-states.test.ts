/** Tests that a request state can be used once until it expires, by one caller for one request, also after a restart. */
import type { Caller } from "@plugboard/contracts";
import type { Op } from "@plugboard/mcp";
import { MemoryEntryStore, memoryKeyRing } from "@plugboard/store";
import { RequestStates } from "#parking/request-states.js";
import type { ResumeTarget, SharedStates } from "#parking/request-states.js";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const client = (id: string, principal: string): Caller => ({
  kind: "front",
  id,
  principal: { id: principal, name: "same", mayApprove: false },
});
const ann = client("ann", "token:1");
const bob = client("bob", "token:2");
const op: Op = { method: "tools/call", params: { name: "t", arguments: { a: 1 } } };
const portable = { kind: "portable", round: 1, requestState: "upstream" } as const;
const parked = { kind: "parked", callId: "c1" } as const;
const targets: [string, ResumeTarget][] = [
  ["a portable call", portable],
  ["a parked call", parked],
];

let clock: ManualClock;
let shared: SharedStates;
let states: RequestStates;
beforeEach(() => {
  clock = new ManualClock();
  clock.advance(10_000_000);
  shared = { entries: new MemoryEntryStore({ clock }), keys: memoryKeyRing(clock), scope: "workspace" };
  states = new RequestStates(clock, 500, shared);
});

/** Returns the states of the same host after a restart: its memory is lost, but its files are kept. */
const restart = (changes: Partial<SharedStates> = {}) => new RequestStates(clock, 500, { ...shared, ...changes });
const refused = (reason: string) => ({
  code: "STATE_REFUSED",
  details: { reason: expect.stringContaining(reason) as string },
});

describe.each(targets)("a request state of %s", (_, target) => {
  it("returns the target that it was given", async () => {
    expect(await states.redeem(await states.issue(target, op, ann), op, ann)).toEqual(target);
  });

  it.each([
    ["another caller", (state: string) => states.redeem(state, op, bob), "another client"],
    [
      "another principal with the same caller id",
      (state: string) => states.redeem(state, op, client("ann", "token:2")),
      "another client",
    ],
    [
      "other arguments",
      (state: string) => states.redeem(state, { ...op, params: { ...op.params, arguments: {} } }, ann),
      "another request",
    ],
    [
      "another tool",
      (state: string) => states.redeem(state, { ...op, params: { name: "u", arguments: { a: 1 } } }, ann),
      "another request",
    ],
    ["no state", () => states.redeem(undefined, op, ann), "it is missing"],
    [
      "a host with other keys",
      (state: string) => restart({ keys: memoryKeyRing(clock) }).redeem(state, op, ann),
      "this host did not issue it",
    ],
    [
      "another workspace or profile",
      (state: string) => restart({ scope: "other" }).redeem(state, op, ann),
      "this host did not issue it",
    ],
  ])("is rejected for %s, and stays valid", async (_, redeem, reason) => {
    const state = await states.issue(target, op, ann);
    await expect(redeem(state)).rejects.toMatchObject(refused(reason));
    expect(await states.redeem(state, op, ann)).toEqual(target);
  });

  it("is rejected the second time, even if another state was used in between", async () => {
    const [state, other] = [await states.issue(target, op, ann), await states.issue(target, op, ann)];
    await states.redeem(state, op, ann);
    await states.redeem(other, op, ann);
    await expect(states.redeem(state, op, ann)).rejects.toMatchObject(refused("already used"));
  });

  it("is accepted once if it is used many times at the same moment", async () => {
    const state = await states.issue(target, op, ann);
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => states.redeem(state, op, ann)));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("is rejected when it has expired, whether it was used or not", async () => {
    const [used, unused] = [await states.issue(target, op, ann), await states.issue(target, op, ann)];
    await states.redeem(used, op, ann);
    clock.advance(500);
    for (const state of [used, unused])
      await expect(states.redeem(state, op, ann)).rejects.toMatchObject(refused("expired"));
  });

  it("is rejected with one changed character", async () => {
    const state = await states.issue(target, op, ann);
    for (let at = 0; at < state.length; at++) {
      const forged = `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`;
      await expect(states.redeem(forged, op, ann)).rejects.toMatchObject(refused("this host did not issue it"));
    }
  });

  it("is kept in the memory of used states only until it expires", async () => {
    const use = async () => states.redeem(await states.issue(target, op, ann), op, ann);
    await use();
    clock.advance(100);
    await use();
    clock.advance(400);
    await use();
    expect(states.used).toBe(2);
  });

  it("is accepted for the same arguments with their keys in another order", async () => {
    const call = (args: object) => ({ method: "tools/call", params: { name: "t", arguments: args } }) as Op;
    const state = await states.issue(target, call({ a: 1, b: { c: 2, d: [3, 4] } }), ann);
    const other = call({ a: 1, b: { c: 2, d: [4, 3] } });
    await expect(states.redeem(state, other, ann)).rejects.toMatchObject(refused("another request"));
    expect(await states.redeem(state, call({ b: { d: [3, 4], c: 2 }, a: 1 }), ann)).toEqual(target);
  });

  it.each([3_600_000, -3_600_000, 86_400_000])(
    "keeps its lifetime, and is accepted once, when the wall clock is changed by %d ms",
    { meta: { covers: ["F47"] } },
    async (byMs) => {
      const [early, late] = [await states.issue(target, op, ann), await states.issue(target, op, ann)];
      clock.shiftWallClock(byMs);
      clock.advance(499);
      expect(await states.redeem(early, op, ann)).toEqual(target);
      clock.shiftWallClock(2 * byMs);
      await expect(states.redeem(early, op, ann)).rejects.toMatchObject(refused("already used"));
      clock.advance(1);
      await expect(states.redeem(late, op, ann)).rejects.toMatchObject(refused("expired"));
    },
  );
});

it("a request state does not reveal its target", async () => {
  const state = await states.issue(portable, op, ann);
  expect(Buffer.from(state.split(".")[1]!, "base64url").toString("latin1")).not.toContain("upstream");
});

describe("a request state of a portable call, after a restart", () => {
  it("is accepted once, and never again after another restart", async () => {
    const state = await states.issue(portable, op, ann);
    const restarted = restart();
    expect(await restarted.redeem(state, op, ann)).toEqual(portable);
    for (const later of [restarted, restart(), states])
      await expect(later.redeem(state, op, ann)).rejects.toMatchObject(refused("already used"));
  });

  it("is rejected if it was used before", async () => {
    const state = await states.issue(portable, op, ann);
    await states.redeem(state, op, ann);
    await expect(restart().redeem(state, op, ann)).rejects.toMatchObject(refused("already used"));
  });

  it("is rejected for another client and another request", async () => {
    const state = await states.issue(portable, op, ann);
    const restarted = restart();
    await expect(restarted.redeem(state, op, bob)).rejects.toMatchObject(refused("another client"));
    const renewed = client("ann", "token:3");
    await expect(restarted.redeem(state, op, renewed)).rejects.toMatchObject(refused("another client"));
    const other: Op = { method: "tools/call", params: { name: "u", arguments: { a: 1 } } };
    await expect(restarted.redeem(state, other, ann)).rejects.toMatchObject(refused("another request"));
    expect(await restarted.redeem(state, op, ann)).toEqual(portable);
  });

  it("expires by the wall clock", async () => {
    const [early, late] = [await states.issue(portable, op, ann), await states.issue(portable, op, ann)];
    const restarted = restart();
    clock.shiftWallClock(499);
    expect(await restarted.redeem(early, op, ann)).toEqual(portable);
    clock.shiftWallClock(1);
    await expect(restarted.redeem(late, op, ann)).rejects.toMatchObject(refused("expired"));
  });

  it("is rejected if the clock was set back to before it was issued", async () => {
    const state = await states.issue(portable, op, ann);
    clock.shiftWallClock(-3_600_000);
    await expect(restart().redeem(state, op, ann)).rejects.toMatchObject(refused("clock was set back"));
  });

  it("can't be used again when the clock is set back after its expiry", async () => {
    const state = await states.issue(portable, op, ann);
    await states.redeem(state, op, ann);
    clock.shiftWallClock(3_500_000);
    // This write would remove expired entries.
    await states.redeem(await states.issue(portable, op, ann), op, ann);
    clock.shiftWallClock(-3_500_000);
    await expect(restart().redeem(state, op, ann)).rejects.toMatchObject(refused("already used"));
  });

  it("is refused if its principal has used too many, which leaves room for other principals and the owner", async () => {
    shared = { ...shared, entries: new MemoryEntryStore({ clock, limits: { maxEntries: 3, maxPerHolder: 2 } }) };
    states = restart();
    const redeem = async (caller: Caller) => states.redeem(await states.issue(portable, op, caller), op, caller);
    const other = client("another client of ann", "token:1");
    expect([await redeem(ann), await redeem(other)]).toEqual([portable, portable]);
    const state = await states.issue(portable, op, ann);
    for (let n = 0; n < 2; n++)
      await expect(states.redeem(state, op, ann)).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    expect(await redeem(bob)).toEqual(portable);
    await expect(redeem(client("eve", "token:3"))).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    expect(await redeem({ kind: "front", id: "a program of the owner" })).toEqual(portable);
  });

  it("is accepted after the keys were rotated, and not after its key was dropped", async () => {
    const [early, late] = [await states.issue(portable, op, ann), await states.issue(portable, op, ann)];
    const [first] = await shared.keys.list();
    await shared.keys.rotate();
    expect(await restart().redeem(early, op, ann)).toEqual(portable);
    await shared.keys.drop(first!.id);
    await expect(restart().redeem(late, op, ann)).rejects.toMatchObject(refused("did not issue it"));
  });
});

describe("a request state of a parked call", () => {
  it("is rejected after a restart", async () => {
    const state = await states.issue(parked, op, ann);
    await expect(restart().redeem(state, op, ann)).rejects.toMatchObject(refused("restarted"));
  });

  it("uses neither the stored keys nor the stored entries", async () => {
    const fail = () => Promise.reject(new Error("the disk is full"));
    const broken = { seal: fail, open: fail } as unknown as SharedStates["keys"];
    const own = restart({ keys: broken, entries: { once: fail } as unknown as SharedStates["entries"] });
    expect(await own.redeem(await own.issue(parked, op, ann), op, ann)).toEqual(parked);
  });
});

it("a request state stays valid if its use can't be stored", async () => {
  const state = await states.issue(portable, op, ann);
  const once = vi.spyOn(shared.entries, "once").mockRejectedValueOnce(new Error("the disk is full"));
  await expect(states.redeem(state, op, ann)).rejects.toThrow("the disk is full");
  expect(await states.redeem(state, op, ann)).toEqual(portable);
  expect(once).toHaveBeenCalledTimes(2);
});
