/** Sealed states: good once, for a time, for one caller and one request. */
import type { Caller } from "@plugboard/contracts";
import type { Op } from "@plugboard/mcp";
import { RequestStates } from "#parking/request-states.js";
import { beforeEach, expect, it } from "vitest";
import { ManualClock } from "../../../mcp/test/helpers/manual-clock.ts";

const ann: Caller = { kind: "front", id: "ann" };
const bob: Caller = { kind: "front", id: "bob" };
const op: Op = { method: "tools/call", params: { name: "t", arguments: { a: 1 } } };
const kept = { kind: "portable", round: 1, requestState: "upstream" } as const;

let clock: ManualClock;
let tickets: RequestStates;
beforeEach(() => {
  clock = new ManualClock();
  tickets = new RequestStates(clock, 500);
});

it("gives back what it was given", () => {
  expect(tickets.redeem(tickets.issue(kept, op, ann), op, ann)).toEqual(kept);
});

it("shows a front nothing of what it holds", () => {
  const state = tickets.issue(kept, op, ann);
  expect(Buffer.from(state, "base64url").toString("latin1")).not.toContain("upstream");
});

it.each([
  ["another caller", (state: string) => tickets.redeem(state, op, bob), "somebody else"],
  [
    "other arguments",
    (state: string) => tickets.redeem(state, { ...op, params: { ...op.params, arguments: {} } }, ann),
    "another request",
  ],
  [
    "another tool",
    (state: string) => tickets.redeem(state, { ...op, params: { name: "u", arguments: { a: 1 } } }, ann),
    "another request",
  ],
  ["no state", () => tickets.redeem(undefined, op, ann), "without one"],
  [
    "another host's state",
    () => tickets.redeem(new RequestStates(clock, 500).issue(kept, op, ann), op, ann),
    "not given by this host",
  ],
])("refuses %s, and the state stays good", (_, claim, why) => {
  const state = tickets.issue(kept, op, ann);
  expect(() => claim(state)).toThrow(why);
  expect(tickets.redeem(state, op, ann)).toEqual(kept);
});

it("refuses a second use", () => {
  const state = tickets.issue(kept, op, ann);
  tickets.redeem(state, op, ann);
  expect(() => tickets.redeem(state, op, ann)).toThrow("used already");
});

it("refuses what has expired, also after it was used", () => {
  const [used, unused] = [tickets.issue(kept, op, ann), tickets.issue(kept, op, ann)];
  tickets.redeem(used, op, ann);
  clock.advance(500);
  for (const state of [used, unused]) expect(() => tickets.redeem(state, op, ann)).toThrow("expired");
});

it("refuses every state in which a single bit was changed", () => {
  const bytes = Buffer.from(tickets.issue(kept, op, ann), "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const forged = Buffer.from(bytes);
    forged[at]! ^= 1 << (at % 8);
    expect(() => tickets.redeem(forged.toString("base64url"), op, ann)).toThrow("not given by this host");
  }
});

it("takes the same arguments with their keys in another order for the same request", () => {
  const call = (args: object) => ({ method: "tools/call", params: { name: "t", arguments: args } }) as Op;
  const state = tickets.issue(kept, call({ a: 1, b: { c: 2, d: [3, 4] } }), ann);
  expect(() => tickets.redeem(state, call({ a: 1, b: { c: 2, d: [4, 3] } }), ann)).toThrow("another request");
  expect(tickets.redeem(state, call({ b: { d: [3, 4], c: 2 }, a: 1 }), ann)).toEqual(kept);
});

it.each([3_600_000, -3_600_000])(
  "lives as long as it should when the wall clock is set by %d ms",
  { meta: { covers: ["F47"] } },
  (byMs) => {
    const [early, late] = [tickets.issue(kept, op, ann), tickets.issue(kept, op, ann)];
    clock.shiftWallClock(byMs);
    clock.advance(499);
    expect(tickets.redeem(early, op, ann)).toEqual(kept);
    clock.advance(1);
    expect(() => tickets.redeem(late, op, ann)).toThrow("expired");
  },
);
