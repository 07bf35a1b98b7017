/** Tests the queue for servers that ask without naming the call. */
import type { Caller } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";
import { CallerQueue } from "#calls/caller-queue.js";
import { beforeEach, describe, expect, it } from "vitest";

const caller = (id: string): Caller => ({ kind: "front", id });
const connection = {};

let timers: (() => void)[];
let turns: CallerQueue;
let needed: boolean;
let order: string[];

beforeEach(() => {
  timers = [];
  needed = true;
  order = [];
  const clock: Clock = {
    now: () => 0,
    after: (_, run) => (timers.push(run), () => void timers.splice(timers.indexOf(run), 1)),
  };
  turns = new CallerQueue(clock);
});

async function take(id: string, signal?: AbortSignal) {
  const end = await turns.acquire(connection, {
    server: "s",
    caller: caller(id),
    mustTakeTurns: () => needed,
    timeoutMs: 100,
    signal,
  });
  order.push(id);
  return end;
}

/** Waits until all pending promises have settled. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("CallerQueue", () => {
  it("runs calls of one caller at the same time", async () => {
    await take("ann");
    await take("ann");
    expect(order).toEqual(["ann", "ann"]);
  });

  it("runs different callers one after another, in order of arrival", async () => {
    const endAnn = await take("ann");
    const bob = take("bob");
    const cyd = take("cyd");
    const annAgain = take("ann");
    await settle();
    expect(order).toEqual(["ann"]);
    endAnn();
    await settle();
    expect(order).toEqual(["ann", "bob"]);
    (await bob)();
    (await cyd)();
    await annAgain;
    expect(order).toEqual(["ann", "bob", "cyd", "ann"]);
  });

  it("runs the calls of all callers at once while they need not take turns", async () => {
    needed = false;
    await take("ann");
    await take("bob");
    expect(order).toEqual(["ann", "bob"]);
  });

  it("waits for calls that started before turns were required", async () => {
    needed = false;
    const endAnn = await take("ann");
    needed = true;
    const bob = take("bob");
    await settle();
    expect(order).toEqual(["ann"]);
    endAnn();
    await bob;
  });

  it("ends a turn only once when its release function is called twice", async () => {
    const endAnn = await take("ann");
    const endAgain = await take("ann");
    endAnn();
    endAnn();
    const bob = take("bob");
    await settle();
    expect(order).toEqual(["ann", "ann"]);
    endAgain();
    await bob;
  });

  it("removes a waiting call when its signal aborts, and keeps the order of the others", async () => {
    const endAnn = await take("ann");
    const abort = new AbortController();
    const bob = take("bob", abort.signal);
    const cyd = take("cyd");
    abort.abort();
    await expect(bob).rejects.toMatchObject({ code: "CANCELLED" });
    endAnn();
    await cyd;
    expect(timers).toEqual([]);
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
    const bob = take("bob");
    await settle();
    timers[0]!();
    await expect(bob).rejects.toMatchObject({ code: "SERVER_BUSY", details: { server: "s", afterMs: 100 } });
  });
});
