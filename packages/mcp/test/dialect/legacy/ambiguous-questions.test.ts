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

/** `watched` says that somebody else than the caller can answer a question. */
async function setup({
  watched = true,
  ...ports
}: { watched?: boolean; onUnattributedRequest?: OnUnattributedRequest } = {}) {
  const unattributed: (readonly CallInFlight[])[] = [];
  const onUnattributedRequest: OnUnattributedRequest = (_, inFlight) => {
    unattributed.push(inFlight);
    return watched ? Promise.resolve({ action: "decline" }) : inFlight.length < 2 ? inFlight[0] : undefined;
  };
  // The server answers a call only when the test says so.
  const scripted = await openScriptedSession(
    "legacy",
    { "tools/call": () => undefined },
    { ports: { onUnattributedRequest, ...ports } },
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

  it(
    "waits until the other call ends, if nobody but the callers can answer",
    { meta: { covers: ["F51"] } },
    async () => {
      const { call, receive, clock, answers } = await setup({ watched: false });
      const [anns, bobs] = [call(ann), call(bob)];
      receive(question);
      clock.advance(59_000);
      await settle();
      receive({ id: bobs.id, result: { content: [] } });
      expect(await anns.outcome).toMatchObject({ type: "asks" });
      expect(answers()).toEqual([]);
    },
  );

  it("does not wait for calls that were sent after it", async () => {
    const { call, receive } = await setup({ watched: false });
    const [anns, bobs] = [call(ann), call(bob)];
    receive(question);
    call(bob);
    receive({ id: bobs.id, result: { content: [] } });
    expect(await anns.outcome).toMatchObject({ type: "asks" });
  });

  it("reaches its caller after the older call has timed out", { meta: { covers: ["F51"] } }, async () => {
    const { call, receive, clock } = await setup({ watched: false });
    const hanging = call(bob, { timeoutMs: 10_000 });
    const anns = call(ann, { timeoutMs: 10_000 });
    receive(question);
    clock.advance(5000);
    clock.advance(10_000);
    expect(await hanging.outcome).toMatchObject({ type: "failed", error: { code: "REQUEST_TIMEOUT" } });
    clock.advance(3000);
    expect(await anns.outcome).toMatchObject({ type: "asks" });
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

  it("belongs to the other caller only three seconds after it arrived, if a call was just cancelled", async () => {
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

  it("reaches nobody if the server cancels it during the wait", async () => {
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

describe("question of a legacy server while requests of one client with different callers are in flight", () => {
  const client = "client";

  it("belongs to the only request that may ask", async () => {
    const { call, receive } = await setup();
    const asking = call(ann, { client, mayAsk: true });
    call(bob, { client, mayAsk: false });
    receive(question);
    expect(await asking.outcome).toMatchObject({ type: "asks" });
  });

  it("belongs to the only request that was not cancelled", async () => {
    const { call, receive } = await setup();
    const cancel = new AbortController();
    call(ann, { client, mayAsk: true, signal: cancel.signal });
    const second = call(bob, { client, mayAsk: true });
    cancel.abort();
    receive(question);
    expect(await second.outcome).toMatchObject({ type: "asks" });
  });

  it("belongs to the only request without an open question", async () => {
    const { call, receive } = await setup();
    const first = call(ann, { client, mayAsk: true });
    receive({ ...question, id: "first" });
    expect(await first.outcome).toMatchObject({ type: "asks" });
    const second = call(bob, { client, mayAsk: true });
    receive(question);
    expect(await second.outcome).toMatchObject({ type: "asks" });
  });

  it("waits until only one request is left if several may ask", async () => {
    const { call, receive, clock } = await setup({ watched: false });
    const anns = call(ann, { client, mayAsk: true });
    const bobs = call(bob, { client, mayAsk: true });
    receive(question);
    clock.advance(10_000);
    receive({ id: anns.id, result: { content: [] } });
    expect(await bobs.outcome).toMatchObject({ type: "asks" });
  });
});

describe("turns of the callers of a legacy server", { meta: { covers: ["F51"] } }, () => {
  it("are needed for first calls on a shared stream, and for all calls after the server has asked", async () => {
    let asked = 0;
    const ports = { onAskedWithoutCall: () => void asked++ };
    const { session, receive } = await openScriptedSession("legacy", { "tools/call": () => undefined }, { ports });
    expect(session.turns).toBe("first");
    receive(question);
    expect([session.turns, asked]).toEqual(["always", 1]);
  });

  it("are not needed if each call has its own stream", async () => {
    const { session } = await openScriptedSession("legacy", {}, { shared: false });
    expect(session.turns).toBe("never");
  });

  it("are needed for all calls if the server has asked in an earlier session", async () => {
    const { session } = await openScriptedSession("legacy", {}, { ports: { hasAskedWithoutCall: () => true } });
    expect(session.turns).toBe("always");
  });
});

describe(
  "question of a legacy server while several calls of one caller are in flight",
  { meta: { covers: ["F51"] } },
  () => {
    /** Assigns a question to the newest call, as the host does. */
    const newest = async () => {
      const onUnattributedRequest: OnUnattributedRequest = (_, inFlight) => inFlight.findLast(({ active }) => active);
      return setup({ onUnattributedRequest });
    };

    it("moves to another call when the call it was assigned to ends first", async () => {
      const { call, receive, answers } = await newest();
      const [first, second] = [call(ann), call(ann)];
      receive(question);
      expect(await second.outcome).toMatchObject({ type: "asks" });
      receive({ id: second.id, result: { content: [] } });
      const asked = await first.outcome;
      if (asked.type !== "asks") throw new Error(asked.type);
      expect(answers()).toEqual([]);
      void asked.resume({ "ask-1": { action: "accept", content: { name: "Ann" } } }, {});
      expect(answers()).toMatchObject([{ result: { action: "accept", content: { name: "Ann" } } }]);
    });

    it("is cancelled when all calls have ended that were sent before it", async () => {
      const { call, receive, answers } = await newest();
      const [first, second] = [call(ann), call(ann)];
      receive(question);
      call(ann);
      for (const { id } of [second, first]) receive({ id, result: { content: [] } });
      await settle();
      expect(answers()).toMatchObject([{ result: { action: "cancel" } }]);
    });

    it("is assigned to the call of a tool that may ask, even if a newer call runs", async () => {
      const { call, receive } = await newest();
      const [asking] = [call(ann, { mayAsk: true }), call(ann, { mayAsk: false })];
      receive(question);
      expect(await asking.outcome).toMatchObject({ type: "asks" });
    });
  },
);
