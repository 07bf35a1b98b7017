/** Tests the queue in which callers take turns at a server whose questions do not name the call. */
import type { Caller } from "@plugboard/contracts";
import type { CallerTurns } from "@plugboard/mcp";
import { CallerQueue } from "#calls/caller-queue.js";
import type { Turn } from "#calls/caller-queue.js";
import { compareTurns, FairShare } from "#calls/fair-share.js";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const caller = (id: string): Caller => ({ kind: "front", id });
const connection = {
  get turns(): CallerTurns {
    return turnsNeeded;
  },
};

let clock: ManualClock;
let turns: CallerQueue;
/** `first`: callers take turns only while a tool is called for the first time. */
let turnsNeeded: CallerTurns;
let order: string[];

beforeEach(() => {
  clock = new ManualClock();
  turnsNeeded = "always";
  order = [];
  turns = new CallerQueue(clock);
});

function principalOf(id: string) {
  return { id, name: id, mayApprove: false };
}

async function take(id: string, signal?: AbortSignal, principal?: string, timeoutMs = 60_000) {
  const turn = await turns.acquire(connection, {
    server: "s",
    caller: { ...caller(id), ...(principal !== undefined && { principal: principalOf(principal) }) },
    timeoutMs,
    signal,
  });
  order.push(id);
  return turn;
}

/** Waits until all pending promises have settled. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("CallerQueue", () => {
  it("runs calls of one caller at the same time", async () => {
    await take("ann");
    await take("ann");
    expect(order).toEqual(["ann", "ann"]);
  });

  it("waits until the calls of all other callers have ended, if they started before turns were needed", async () => {
    turnsNeeded = "never";
    const [ann, bob, cyd] = await Promise.all([take("ann"), take("bob"), take("cyd")]);
    await take("bob");
    turnsNeeded = "always";
    order = [];
    const waiting = take("bob");
    ann.release();
    await settle();
    expect(order).toEqual([]);
    cyd.release();
    await waiting;
    bob.release();
    await take("bob");
    const last = take("cyd");
    await settle();
    expect(order).toEqual(["bob", "bob"]);
    clock.advance(2000);
    await last;
  });

  it("runs different callers one after another, in order of arrival", async () => {
    const annsTurn = await take("ann");
    const bob = take("bob");
    const cyd = take("cyd");
    const annAgain = take("ann");
    await settle();
    expect(order).toEqual(["ann"]);
    annsTurn.release();
    await settle();
    expect(order).toEqual(["ann", "bob"]);
    (await bob).release();
    (await cyd).release();
    await annAgain;
    expect(order).toEqual(["ann", "bob", "cyd", "ann"]);
  });

  it("says how long a call waited for its turn", async () => {
    const annsTurn = await take("ann");
    const bob = take("bob");
    clock.advance(1500);
    annsTurn.release();
    expect([annsTurn.waitedMs, (await bob).waitedMs]).toEqual([0, 1500]);
  });

  it("runs the calls of all callers at the same time while they need not take turns", async () => {
    turnsNeeded = "never";
    await take("ann");
    await take("bob");
    expect(order).toEqual(["ann", "bob"]);
  });

  it("waits for calls that started before turns were required", async () => {
    turnsNeeded = "never";
    const annsTurn = await take("ann");
    turnsNeeded = "always";
    const bob = take("bob");
    await settle();
    expect(order).toEqual(["ann"]);
    annsTurn.release();
    await bob;
  });

  it("ends a turn only once, even if its release function is called twice", async () => {
    const annsTurn = await take("ann");
    const annsOtherTurn = await take("ann");
    annsTurn.release();
    annsTurn.release();
    const bob = take("bob");
    await settle();
    expect(order).toEqual(["ann", "ann"]);
    annsOtherTurn.release();
    await bob;
  });

  it("removes a waiting call when its signal aborts, and keeps the order of the others", async () => {
    const annsTurn = await take("ann");
    const abort = new AbortController();
    const bob = take("bob", abort.signal);
    const cyd = take("cyd");
    abort.abort();
    await expect(bob).rejects.toMatchObject({ code: "CANCELLED" });
    annsTurn.release();
    await cyd;
    expect(clock.pendingTimers).toBe(0);
  });

  it("starts the next call when the waiting call before it is cancelled", async () => {
    await take("ann");
    const abort = new AbortController();
    const bob = take("bob", abort.signal);
    const annAgain = take("ann");
    abort.abort();
    await expect(bob).rejects.toMatchObject({ code: "CANCELLED" });
    await annAgain;
    expect(order).toEqual(["ann", "ann"]);
  });

  it("fails with SERVER_BUSY after the timeout", async () => {
    await take("ann");
    const bob = take("bob", undefined, undefined, 1000);
    await settle();
    clock.advance(1000);
    await expect(bob).rejects.toMatchObject({ code: "SERVER_BUSY", details: { server: "s", afterMs: 1000 } });
  });
});

describe("CallerQueue with a server that is not known to ask", { meta: { covers: ["F51"] } }, () => {
  beforeEach(() => (turnsNeeded = "first"));

  const takeFor = async (id: string, tool: string) => {
    const turn = await turns.acquire(connection, { server: "s", caller: caller(id), tool, timeoutMs: 60_000 });
    order.push(`${id}:${tool}`);
    return turn;
  };

  it("runs the first calls one caller after another, and after a success all calls at the same time", async () => {
    const anns = await takeFor("ann", "t");
    const [bob, cyd] = [takeFor("bob", "t"), takeFor("cyd", "other")];
    await settle();
    expect(order).toEqual(["ann:t"]);
    anns.release(true);
    await Promise.all([bob, cyd]);
    expect(order).toEqual(["ann:t", "bob:t", "cyd:other"]);
    await takeFor("dan", "t");
  });

  it("makes callers wait for the next call too if the first call fails", async () => {
    const anns = await takeFor("ann", "t");
    const [bob, cyd] = [takeFor("bob", "t"), takeFor("cyd", "t")];
    anns.release(false);
    await bob;
    await settle();
    expect(order).toEqual(["ann:t", "bob:t"]);
    (await bob).release(true);
    await cyd;
  });

  it("starts all waiting calls after two seconds", async () => {
    await takeFor("ann", "t");
    const waiting = [takeFor("bob", "t"), takeFor("cyd", "t")];
    clock.advance(2000);
    await Promise.all(waiting);
    await takeFor("dan", "t");
    expect(clock.pendingTimers).toBe(0);
  });

  it("makes all callers take turns as soon as a call has asked a question", async () => {
    const anns = await takeFor("ann", "t");
    const bob = takeFor("bob", "t");
    turnsNeeded = "always";
    anns.suspend();
    await settle();
    expect(order).toEqual(["ann:t"]);
    anns.resume();
    anns.release(true);
    await bob;
  });

  it("waits ten seconds for a tool that has asked before, and then starts other calls beside it", async () => {
    turnsNeeded = "always";
    const first = await takeFor("ann", "t");
    first.suspend();
    first.resume();
    first.release(true);
    await takeFor("ann", "t");
    const bob = takeFor("bob", "t");
    clock.advance(9999);
    await settle();
    expect(order).toEqual(["ann:t", "ann:t"]);
    clock.advance(1);
    await bob;
  });
});

describe("CallerQueue with a client whose requests have different callers", { meta: { covers: ["F52"] } }, () => {
  const takeFor = async (id: string, tool: string, client: string) => {
    const request = { server: "s", caller: caller(id), client, tool, timeoutMs: 60_000 };
    const turn = await turns.acquire(connection, request);
    order.push(id);
    return turn;
  };

  it("runs the client's calls at the same time, except calls of tools that may ask", async () => {
    (await takeFor("1", "quiet", "ann")).release(true);
    await Promise.all([takeFor("2", "quiet", "ann"), takeFor("3", "quiet", "ann"), takeFor("4", "asks", "ann")]);
    const second = takeFor("5", "asks", "ann");
    await takeFor("6", "quiet", "ann");
    expect(order).toEqual(["1", "2", "3", "4", "6"]);
    clock.advance(2000);
    await second;
  });

  it("starts a later call of the client although an earlier one still has to wait", async () => {
    (await takeFor("1", "quiet", "ann")).release(true);
    const bobs = await takeFor("2", "quiet", "bob");
    const asking = await Promise.race([takeFor("3", "asks", "ann"), settle()]);
    expect(asking).toBeUndefined();
    void takeFor("4", "asks", "ann");
    const quiet = takeFor("5", "quiet", "ann");
    bobs.release(true);
    await quiet;
    expect(order).toEqual(["1", "2", "3", "5"]);
  });

  it("starts the next call that may ask as soon as the earlier one has asked its question", async () => {
    const turn = await takeFor("1", "asks", "ann");
    const second = takeFor("2", "asks", "ann");
    turn.suspend();
    await second;
    expect(order).toEqual(["1", "2"]);
  });
});

describe("CallerQueue while a call waits for a person", { meta: { covers: ["F51", "S24"] } }, () => {
  it("starts another caller's call beside it after five seconds", async () => {
    const turn = await take("ann");
    turn.suspend();
    clock.advance(300_000);
    const bob = take("bob");
    clock.advance(4999);
    await settle();
    expect(order).toEqual(["ann"]);
    clock.advance(1);
    await bob;
    expect(clock.pendingTimers).toBe(0);
  });

  it("lets the other callers take turns with each other, without waiting for the call", async () => {
    const turn = await take("ann");
    turn.suspend();
    const bob = take("bob");
    clock.advance(5000);
    const bobsTurn = await bob;
    const cyd = take("cyd");
    turn.resume();
    turn.release();
    clock.advance(1000);
    await settle();
    expect(order).toEqual(["ann", "bob"]);
    bobsTurn.release();
    await cyd;
    expect(order).toEqual(["ann", "bob", "cyd"]);
  });

  it("does not wait for the call any more, even after its question is answered", async () => {
    const turn = await take("ann");
    turn.suspend();
    const bob = take("bob");
    clock.advance(5000);
    (await bob).release();
    turn.resume();
    (await take("cyd")).release();
    turn.release();
    await take("bob");
    expect(order).toEqual(["ann", "bob", "cyd", "bob"]);
  });

  it("waits another five seconds for each new question", async () => {
    const turn = await take("ann");
    void take("bob");
    clock.advance(1900);
    turn.suspend();
    clock.advance(4900);
    turn.resume();
    turn.suspend();
    clock.advance(4900);
    await settle();
    expect(order).toEqual(["ann"]);
  });

  it("lets the call keep its turn while no other caller waits, or the waiting one has left", async () => {
    const turn = await take("ann");
    turn.suspend();
    const abort = new AbortController();
    const left = take("bob", abort.signal);
    clock.advance(4000);
    abort.abort();
    await expect(left).rejects.toMatchObject({ code: "CANCELLED" });
    await take("ann");
    clock.advance(60_000);
    void take("bob");
    clock.advance(4999);
    await settle();
    expect(order).toEqual(["ann", "ann"]);
  });
});

describe("CallerQueue while a call asks again and again", { meta: { covers: ["S24"] } }, () => {
  /** Asks every 4.5 seconds, and answers after 4 seconds. Returns the time at which another call has started. */
  const askRepeatedly = async (turn: Turn, forMs: number): Promise<number | undefined> => {
    const started = order.length;
    for (let ms = 0; ms < forMs; ms += 500) {
      if (ms % 4500 === 0) turn.suspend();
      if (ms % 4500 === 4000) turn.resume();
      clock.advance(500);
      await settle();
      if (order.length > started) return ms + 500;
    }
    return undefined;
  };

  it("starts another client's call beside it after thirty seconds, even if each answer comes in time", async () => {
    const turn = await take("ann");
    void take("bob");
    expect(await askRepeatedly(turn, 60_000)).toBe(30_000);
    turn.release();
    expect(clock.pendingTimers).toBe(0);
  });

  it("starts the other client's call after thirty seconds, even if no question is open at that time", async () => {
    const turn = await take("ann");
    const bob = take("bob");
    expect(await askRepeatedly(turn, 27_000)).toBeUndefined();
    turn.suspend();
    clock.advance(2000);
    turn.resume();
    clock.advance(999);
    await settle();
    expect(order).toEqual(["ann"]);
    clock.advance(1);
    await bob;
  });

  it("gives the next client thirty seconds too, even if a third client has waited for a long time", async () => {
    const turn = await take("ann");
    const bob = take("bob");
    expect(await askRepeatedly(turn, 9000)).toBeUndefined();
    const cyd = take("cyd");
    expect(await askRepeatedly(turn, 60_000)).toBe(21_000);
    turn.release();
    expect(await askRepeatedly(await bob, 60_000)).toBe(30_000);
    await cyd;
  });

  it("lets the call continue without limit while no other client waits", async () => {
    const turn = await take("ann");
    expect(await askRepeatedly(turn, 60_000)).toBeUndefined();
    void take("bob");
    expect(await askRepeatedly(turn, 60_000)).toBe(30_000);
  });
});

describe("CallerQueue while a call hangs", { meta: { covers: ["S23", "S24"] } }, () => {
  it("starts another caller's call beside it after two seconds", async () => {
    await take("ann");
    const bob = take("bob");
    clock.advance(1999);
    await settle();
    expect(order).toEqual(["ann"]);
    clock.advance(1);
    await bob;
    expect(clock.pendingTimers).toBe(0);
  });

  it("lets the other callers take turns with each other, without waiting for the call", async () => {
    await take("ann");
    const bob = take("bob");
    clock.advance(2000);
    const bobsTurn = await bob;
    await take("bob").then((turn) => turn.release());
    const cyd = take("cyd");
    clock.advance(1000);
    await settle();
    expect(order).toEqual(["ann", "bob", "bob"]);
    bobsTurn.release();
    await cyd;
  });

  it("gives each call two seconds of its own", async () => {
    const annsTurn = await take("ann");
    void take("bob");
    const cyd = take("cyd");
    clock.advance(1900);
    annsTurn.release();
    clock.advance(1900);
    await settle();
    expect(order).toEqual(["ann", "bob"]);
    clock.advance(100);
    await cyd;
  });

  it("waits five seconds for a call that has hung before and now waits for a person", async () => {
    const annsTurn = await take("ann");
    const bob = take("bob");
    clock.advance(2000);
    (await bob).release();
    annsTurn.suspend();
    const again = take("bob");
    clock.advance(4999);
    await settle();
    expect(order).toEqual(["ann", "bob"]);
    clock.advance(1);
    await again;
  });
});

describe("CallerQueue with a principal that has many sessions", { meta: { covers: ["S23", "S24"] } }, () => {
  /** Takes one turn for each session. */
  const takeForSessions = (principal: string, count: number) =>
    Array.from({ length: count }, (_, n) => take(`${principal}${n}`, undefined, principal));

  it("gives another principal the next turn after a call that hangs", async () => {
    void takeForSessions("a", 30);
    const first = take("b0", undefined, "b");
    clock.advance(2000);
    (await first).release();
    await settle();
    expect(order).toEqual(["a0", "b0", "a1"]);
    // The principal is forgotten after its call. As a new one, it waits for one turn only.
    const second = take("b0", undefined, "b");
    const other = take("c0", undefined, "c");
    clock.advance(2000);
    (await second).release();
    await other;
    expect(order).toEqual(["a0", "b0", "a1", "b0", "c0"]);
  });

  it("gives another principal the next turn after a question that nobody answers", async () => {
    const [asked] = takeForSessions("a", 30);
    const turn = await asked!;
    turn.suspend();
    const other = take("b0", undefined, "b");
    clock.advance(5000);
    await other;
    expect(order).toEqual(["a0", "b0"]);
  });

  it("divides the turns of a principal among its sessions", async () => {
    const sessions = takeForSessions("a", 3);
    const others = [take("b0", undefined, "b"), take("b0", undefined, "b"), take("b0", undefined, "b")];
    for (const [n, session] of sessions.entries()) {
      (await session).release();
      (await others[n]!).release();
    }
    expect(order).toEqual(["a0", "b0", "a1", "b0", "a2", "b0"]);
  });

  it("does not let principals that come and go overtake one that waits", async () => {
    const a = await take("a0", undefined, "a");
    let bob = take("b0", undefined, "b");
    const waiting = take("a1", undefined, "a");
    a.release();
    let cyd = take("c0", undefined, "c");
    (await bob).release();
    bob = take("b0", undefined, "b");
    await waiting;
    (await waiting).release();
    (await cyd).release();
    cyd = take("c0", undefined, "c");
    (await bob).release();
    await cyd;
    expect(order).toEqual(["a0", "b0", "a1", "c0", "b0", "c0"]);
  });
});

describe("CallerQueue with a client that floods a server", { meta: { covers: ["S23"] } }, () => {
  beforeEach(() => (turnsNeeded = "never"));

  const flood = (id: string, calls: number) => {
    const pending = Array.from({ length: calls }, () => take(id));
    for (const call of pending) call.catch(() => {});
    return pending;
  };

  it("runs a quarter of the capacity for one client, and leaves the rest to others", async () => {
    void flood("ann", 1100);
    await settle();
    expect(order).toHaveLength(256);
    await take("bob");
    expect(order.at(-1)).toBe("bob");
  });

  it("starts a waiting call of the client when one of its calls ends, and fails those that wait too long", async () => {
    const calls = flood("ann", 258);
    (await calls[0]!).release();
    await calls[256];
    clock.advance(60_000);
    const details = { server: "s", limit: 256, byCaller: true };
    await expect(calls[257]).rejects.toMatchObject({ code: "TOO_MANY_CALLS", details });
  });

  it("fails a call at once if too many calls of the client are waiting", async () => {
    const calls = flood("ann", 256 + 1025);
    await expect(calls.at(-1)).rejects.toMatchObject({ code: "TOO_MANY_CALLS" });
  });

  it("fails a call at once if too many calls of its principal are waiting, and lets another principal wait", async () => {
    turnsNeeded = "always";
    const holder = await take("holder", undefined, "h");
    const calls = Array.from({ length: 2050 }, (_, n) => take(`a${n % 100}`, undefined, "a"));
    for (const call of calls) call.catch(() => {});
    await expect(calls.at(-1)).rejects.toMatchObject({ code: "TOO_MANY_CALLS" });
    const bob = take("bob", undefined, "b");
    holder.release();
    (await calls[0]!).release();
    await bob;
    // The first call has left the queue, so one more can wait.
    const next = take("a0", undefined, "a");
    await expect(Promise.race([next, settle()])).resolves.toBeUndefined();
  });

  it("examines only the new call when one more has to wait, not all waiting calls", async () => {
    turnsNeeded = "always";
    await take("holder");
    const reads = vi.spyOn(connection, "turns", "get");
    onTestFinished(() => reads.mockRestore());
    void flood("ann", 100);
    const before = reads.mock.calls.length;
    void flood("ann", 100);
    expect(reads.mock.calls.length - before).toBe(before);
  });

  it("serves waiting clients in turn, not in order of arrival", async () => {
    turnsNeeded = "always";
    const first = await take("cyd");
    const [ann] = flood("ann", 3);
    const bob = take("bob");
    first.release();
    (await ann!).release();
    await bob;
    expect(order).toEqual(["cyd", "ann", "bob"]);
  });
});

describe("FairShare", () => {
  it("always leaves room for one more principal and one more client", { meta: { covers: ["S23"] } }, () => {
    const shares = new FairShare();
    const fill = (principal: string, client: string): number => {
      const load = shares.loadOf({ kind: "front", id: client, principal: principalOf(principal) }, client);
      let started = 0;
      while (shares.hasRoom(load) && started < 2000) {
        shares.start(load);
        started += 1;
      }
      return started;
    };
    const started = ["a1", "a2", "a3", "a4"].map((client) => fill("a", client));
    expect(started).toEqual([256, 128, 64, 32]);
    expect(fill("b", "b1")).toBe(136);
    for (let n = 0; n < 20; n++) expect(fill(`p${n}`, `p${n}`)).toBeGreaterThan(0);
  });

  it("puts a client that comes back, and its principal, behind those that came meanwhile", () => {
    const shares = new FairShare();
    const [ann, bob] = ["ann", "bob"].map((id): Caller => ({ kind: "front", id, principal: principalOf(id) }));
    const call = (caller: Caller) => {
      const load = shares.loadOf(caller);
      shares.start(load);
      return load;
    };
    const first = call(ann!);
    expect(shares.loadOf(ann!)).toBe(first);
    shares.end(first);
    const other = call(bob!);
    expect(compareTurns(first, other)).toBeLessThan(0);
    expect(call(ann!)).toBe(first);
    expect(compareTurns(first, other)).toBeGreaterThan(0);
  });

  it("forgets idle clients, the oldest first, if there are many, but no client with running calls", () => {
    const shares = new FairShare();
    const callers = Array.from({ length: 300 }, (_, n): Caller => ({
      kind: "front",
      id: `${n}`,
      principal: principalOf(`${n}`),
    }));
    const [busy, ...others] = callers.map((caller) => {
      const load = shares.loadOf(caller);
      shares.start(load);
      return load;
    });
    others.slice(0, 256).forEach((load) => shares.end(load));
    expect(shares.loadOf(callers[1]!)).toBe(others[0]);
    shares.start(others[0]!);
    shares.end(others[0]!);
    shares.end(others[256]!);
    expect(shares.loadOf(callers[1]!)).not.toBe(others[0]);
    expect(shares.loadOf(callers[0]!)).toBe(busy);
    expect(shares.loadOf(callers[0]!, "its other client").principal).toBe(busy!.principal);
  });

  it("keeps the load of a client that still has running calls", () => {
    const shares = new FairShare();
    const ann: Caller = { kind: "front", id: "ann", principal: principalOf("ann") };
    const load = shares.loadOf(ann);
    shares.start(load);
    shares.start(load);
    shares.end(load);
    shares.start(shares.loadOf(ann, "its other client"));
    expect(shares.loadOf(ann)).toBe(load);
    expect(load.principal).toMatchObject({ active: 2, running: 2 });
  });

  it("keeps principals apart whose clients use the same name one after another", () => {
    const shares = new FairShare();
    const load = shares.loadOf({ kind: "front", id: "a", principal: principalOf("ann") }, "client");
    shares.start(load);
    shares.end(load);
    const next = shares.loadOf({ kind: "front", id: "b", principal: principalOf("bob") }, "client");
    expect(next.principal).not.toBe(load.principal);
  });

  it("does not limit a program that embeds the host", () => {
    const shares = new FairShare();
    const load = shares.loadOf({ kind: "program", id: "p" });
    for (let n = 0; n < 1024; n++) shares.start(load);
    expect(shares.hasRoom(load)).toBe(true);
  });
});
