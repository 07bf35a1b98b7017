import { handleUnattributedRequests, questionOwner } from "#calls/ask-user.js";
import type { AskUserPorts } from "#calls/ask-user.js";
import type { Caller, CallerKind, QuestionOwner } from "@plugboard/contracts";
import type { CallInFlight } from "@plugboard/mcp";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const ann: Caller = { kind: "front", id: "ann" };
const annAgain: Caller = { kind: "front", id: "ann" };
const bob: Caller = { kind: "front", id: "bob" };
const annsChat: Caller = { kind: "chat", id: "ann" };

describe("questionOwner", () => {
  it.each<[string, Caller[], QuestionOwner]>([
    ["returns the workspace if there are no calls", [], "workspace"],
    ["returns the caller of the only call", [ann], ann],
    ["returns the caller if all calls are from that caller", [ann, annAgain, ann], ann],
    ["returns the workspace if there are calls of two callers", [ann, bob], "workspace"],
    ["returns the workspace if one of many calls has another caller", [ann, ann, bob, ann], "workspace"],
    ["returns the workspace if two callers share only the id", [ann, annsChat], "workspace"],
  ])("%s", (_, callers, owner) => {
    expect(questionOwner(calls(callers))).toEqual(owner);
  });

  it("does not depend on the order of the calls", () => {
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

describe("handleUnattributedRequests", () => {
  it("asks nobody if a request without a call comes from a connection with a principal's own login", async () => {
    const ports = new Proxy({}, { get: (_, port) => expect.unreachable(`used ${String(port)}`) }) as AskUserPorts;
    const handle = handleUnattributedRequests({ server: "x", ownLogin: true }, ports);
    const ask = {
      type: "elicitation",
      elicitation: { mode: "form", message: "?", fields: [] },
      rawParams: {},
    } as const;
    const { signal } = new AbortController();
    expect(handle(ask, calls([ann, bob]), signal)).toBeUndefined();
    expect(await handle(ask, [], signal)).toEqual({ action: "cancel" });
  });
});

function calls(callers: readonly Caller[]): CallInFlight[] {
  return callers.map((caller, at) => ({
    caller,
    active: true,
    op: { method: "tools/call", params: { name: `t${at}`, arguments: {} } },
  }));
}
