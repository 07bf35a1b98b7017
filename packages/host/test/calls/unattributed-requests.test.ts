import { questionOwner } from "#calls/unattributed-requests.js";
import type { Caller, CallerKind, QuestionOwner } from "@plugboard/contracts";
import type { CallInFlight } from "@plugboard/mcp";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const ann: Caller = { kind: "front", id: "ann" };
const annAgain: Caller = { kind: "front", id: "ann" };
const bob: Caller = { kind: "front", id: "bob" };
const annsChat: Caller = { kind: "chat", id: "ann" };

describe("a question that names no call belongs to", () => {
  it.each<[string, Caller[], QuestionOwner]>([
    ["the workspace, if nobody calls", [], "workspace"],
    ["the one who calls", [ann], ann],
    ["the one who makes all the calls", [ann, annAgain, ann], ann],
    ["the workspace, if two call", [ann, bob], "workspace"],
    ["the workspace, if one of many is another", [ann, ann, bob, ann], "workspace"],
    ["the workspace, if they share only the id", [ann, annsChat], "workspace"],
  ])("%s", (_, callers, owner) => {
    expect(questionOwner(calls(callers))).toEqual(owner);
  });

  it("the same owner in whatever order the calls were made", () => {
    const caller = fc.record({ kind: fc.constantFrom<CallerKind[]>("front", "chat"), id: fc.constantFrom("a", "b") });
    const twice = fc
      .array(caller, { minLength: 1 })
      .chain((callers) => fc.tuple(fc.constant(callers), fc.shuffledSubarray(callers, { minLength: callers.length })));
    fc.assert(
      fc.property(twice, ([callers, shuffled]) => {
        expect(questionOwner(calls(shuffled))).toEqual(questionOwner(calls(callers)));
      }),
    );
  });
});

function calls(callers: readonly Caller[]): CallInFlight[] {
  return callers.map((caller, at) => ({
    caller,
    active: true,
    op: { method: "tools/call", params: { name: `t${at}`, arguments: {} } },
  }));
}
