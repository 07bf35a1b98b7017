/** Turns on a connection whose server asks without saying for whom. */
import type { Caller } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";
import { CallerQueue } from "#calls/caller-queue.js";
import { beforeEach, expect, it } from "vitest";

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
    isRequired: () => needed,
    timeoutMs: 100,
    signal,
  });
  order.push(id);
  return end;
}

/** Lets everything that can go on go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

it("lets calls of one caller overlap", async () => {
  await take("ann");
  await take("ann");
  expect(order).toEqual(["ann", "ann"]);
});

it("serves different callers one after another, in the order they came", async () => {
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

it("holds nobody up while it is not needed", async () => {
  needed = false;
  await take("ann");
  await take("bob");
  expect(order).toEqual(["ann", "bob"]);
});

it("waits for calls that began before it was needed", async () => {
  needed = false;
  const endAnn = await take("ann");
  needed = true;
  const bob = take("bob");
  await settle();
  expect(order).toEqual(["ann"]);
  endAnn();
  await bob;
});

it("ends a turn once, however often it is told", async () => {
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

it("gives up waiting with its signal, and leaves the queue in order", async () => {
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

it("lets the next go when whoever stood in its way gives up", async () => {
  await take("ann");
  const abort = new AbortController();
  const bob = take("bob", abort.signal);
  const annAgain = take("ann");
  abort.abort();
  await expect(bob).rejects.toMatchObject({ code: "CANCELLED" });
  await annAgain;
  expect(order).toEqual(["ann", "ann"]);
});

it("says that the server is busy when patience ends", async () => {
  await take("ann");
  const bob = take("bob");
  await settle();
  timers[0]!();
  await expect(bob).rejects.toMatchObject({ code: "SERVER_BUSY", details: { server: "s", afterMs: 100 } });
});
