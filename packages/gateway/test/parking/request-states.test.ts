/** Tests that a request state is valid once, until it expires, for one caller and one request. */
import type { Caller } from "@plugboard/contracts";
import type { Op } from "@plugboard/mcp";
import { RequestStates } from "#parking/request-states.js";
import { beforeEach, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const ann: Caller = { kind: "front", id: "ann" };
const bob: Caller = { kind: "front", id: "bob" };
const op: Op = { method: "tools/call", params: { name: "t", arguments: { a: 1 } } };
const target = { kind: "portable", round: 1, requestState: "upstream" } as const;

let clock: ManualClock;
let states: RequestStates;
beforeEach(() => {
  clock = new ManualClock();
  states = new RequestStates(clock, 500);
});

it("RequestStates returns the target that it was given", () => {
  expect(states.redeem(states.issue(target, op, ann), op, ann)).toEqual(target);
});

it("RequestStates encrypts the target", () => {
  const state = states.issue(target, op, ann);
  expect(Buffer.from(state, "base64url").toString("latin1")).not.toContain("upstream");
});

it.each([
  ["another caller", (state: string) => states.redeem(state, op, bob), "another client"],
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
    "another host's state",
    () => states.redeem(new RequestStates(clock, 500).issue(target, op, ann), op, ann),
    "this host did not issue it",
  ],
])("RequestStates rejects %s, and the state stays valid", (_, redeem, reason) => {
  const state = states.issue(target, op, ann);
  expect(() => redeem(state)).toThrow(reason);
  expect(states.redeem(state, op, ann)).toEqual(target);
});

it("RequestStates rejects a second use, also after the use of another state", () => {
  const [state, other] = [states.issue(target, op, ann), states.issue(target, op, ann)];
  states.redeem(state, op, ann);
  states.redeem(other, op, ann);
  expect(() => states.redeem(state, op, ann)).toThrow("already used");
});

it("RequestStates rejects an expired state, used or not", () => {
  const [used, unused] = [states.issue(target, op, ann), states.issue(target, op, ann)];
  states.redeem(used, op, ann);
  clock.advance(500);
  for (const state of [used, unused]) expect(() => states.redeem(state, op, ann)).toThrow("expired");
});

it("RequestStates rejects a state with one changed bit", () => {
  const bytes = Buffer.from(states.issue(target, op, ann), "base64url");
  for (let index = 0; index < bytes.length; index++) {
    const forged = Buffer.from(bytes);
    forged[index]! ^= 1 << (index % 8);
    expect(() => states.redeem(forged.toString("base64url"), op, ann)).toThrow("this host did not issue it");
  }
});

it("RequestStates remembers a used state no longer than it is valid", () => {
  const use = () => states.redeem(states.issue(target, op, ann), op, ann);
  use();
  clock.advance(100);
  use();
  clock.advance(400);
  use();
  expect(states.used).toBe(2);
});

it("RequestStates accepts the same arguments with their keys in another order", () => {
  const call = (args: object) => ({ method: "tools/call", params: { name: "t", arguments: args } }) as Op;
  const state = states.issue(target, call({ a: 1, b: { c: 2, d: [3, 4] } }), ann);
  expect(() => states.redeem(state, call({ a: 1, b: { c: 2, d: [4, 3] } }), ann)).toThrow("another request");
  expect(states.redeem(state, call({ b: { d: [3, 4], c: 2 }, a: 1 }), ann)).toEqual(target);
});

it.each([3_600_000, -3_600_000])(
  "a request state keeps its lifetime when the wall clock is changed by %d ms",
  { meta: { covers: ["F47"] } },
  (byMs) => {
    const [early, late] = [states.issue(target, op, ann), states.issue(target, op, ann)];
    clock.shiftWallClock(byMs);
    clock.advance(499);
    expect(states.redeem(early, op, ann)).toEqual(target);
    clock.advance(1);
    expect(() => states.redeem(late, op, ann)).toThrow("expired");
  },
);
