/** Tests questions of a legacy server that come while calls of several callers are in flight. */
import type { Caller } from "@plugboard/contracts";
import type { AskAnswer, CallContext, CallInFlight, OnUnattributedRequest, Outcome } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";
import { ctx, openScriptedSession } from "../../helpers/scripted-session.ts";

const ann: Caller = { kind: "front", id: "ann" };
const bob: Caller = { kind: "front", id: "bob" };
const question = {
  id: "q",
  method: "elicitation/create",
  params: { message: "Name?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } },
};

async function setup() {
  const unattributed: (readonly CallInFlight[])[] = [];
  const onUnattributedRequest: OnUnattributedRequest = (_, inFlight) => {
    unattributed.push(inFlight);
    return Promise.resolve({ action: "decline" });
  };
  // The server answers a call only when the test says so.
  const scripted = await openScriptedSession(
    "legacy",
    { "tools/call": () => undefined },
    { ports: { onUnattributedRequest } },
  );
  const call = (caller: Caller, other: Partial<CallContext> = {}): { outcome: Promise<Outcome>; id: number } => {
    const op = { method: "tools/call", params: { name: "t", arguments: {} } } as const;
    const outcome = scripted.session.request(op, { ...ctx, caller, ...other });
    return { outcome, id: scripted.sent.at(-1)!.id as number };
  };
  const answers = () => scripted.sent.filter(({ id, method }) => id === "q" && method === undefined);
  return { ...scripted, call, unattributed, answers };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("question of a legacy server while calls of two callers are in flight", () => {
  it("belongs to the only caller that is left when the other call ends within the wait", async () => {
    const { call, receive, unattributed } = await setup();
    const [anns, bobs] = [call(ann), call(bob)];
    receive(question);
    receive({ id: bobs.id, result: { content: [] } });
    expect(await anns.outcome).toMatchObject({ type: "asks" });
    expect(unattributed).toEqual([]);
  });

  it("is passed on as unattributed after five seconds", async () => {
    const { call, receive, unattributed, clock, answers } = await setup();
    call(ann);
    call(bob);
    receive(question);
    clock.advance(4999);
    await settle();
    expect(unattributed).toEqual([]);
    clock.advance(1);
    await settle();
    expect(unattributed.map((calls) => calls.map(({ caller }) => caller.id))).toEqual([["ann", "bob"]]);
    expect(answers()).toMatchObject([{ result: { action: "decline" } }]);
  });

  it("belongs to the other caller three seconds after a call was cancelled", async () => {
    const { call, receive, unattributed, clock } = await setup();
    const cancel = new AbortController();
    call(bob, { signal: cancel.signal });
    cancel.abort();
    const anns = call(ann);
    receive(question);
    let settled: Outcome | undefined;
    void anns.outcome.then((outcome) => (settled = outcome));
    clock.advance(2999);
    await settle();
    expect(settled).toBeUndefined();
    clock.advance(1);
    await settle();
    expect(settled).toMatchObject({ type: "asks" });
    expect(unattributed).toEqual([]);
  });

  it("is not asked any more when the server cancels it during the wait", async () => {
    const { call, receive, unattributed, clock, answers } = await setup();
    const [anns] = [call(ann), call(bob)];
    receive(question);
    receive({ method: "notifications/cancelled", params: { requestId: "q" } });
    clock.advance(10_000);
    await settle();
    expect(unattributed).toEqual([]);
    expect(answers()).toEqual([]);
    receive({ id: anns.id, result: { content: [] } });
    expect(await anns.outcome).toMatchObject({ type: "complete" });
  });

  it("pauses the timeouts of both calls during the wait", async () => {
    const { call, receive, clock } = await setup();
    const anns = call(ann, { timeoutMs: 1000 });
    const bobs = call(bob, { timeoutMs: 1000 });
    receive(question);
    clock.advance(4000);
    receive({ id: bobs.id, result: { content: [] } });
    const outcome = await anns.outcome;
    expect(outcome).toMatchObject({ type: "asks" });
    const answer: AskAnswer = { action: "accept", content: { name: "Ann" } };
    if (outcome.type === "asks") void outcome.resume({ "ask-1": answer }, {});
  });
});
