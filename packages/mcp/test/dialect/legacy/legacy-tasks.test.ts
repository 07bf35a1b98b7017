/** Tests the tasks of a legacy server with several callers: who gets their questions, and which requests stay open. */
import type { Caller, JsonObject } from "@plugboard/contracts";
import type { Outcome } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";
import { ctx, openScriptedSession } from "../../helpers/scripted-session.ts";
import type { Methods } from "../../helpers/scripted-session.ts";

const ann: Caller = { kind: "front", id: "ann" };
const bob: Caller = { kind: "front", id: "bob" };
const RELATED = "io.modelcontextprotocol/related-task";
const call = { method: "tools/call", params: { name: "t", arguments: {} } } as const;
const get = (taskId: string) => ({ method: "tasks/get", params: { taskId } }) as const;
const settle = () => new Promise((resolve) => setImmediate(resolve));

function question(task?: string) {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  const related = task !== undefined && { _meta: { [RELATED]: { taskId: task } } };
  return { id: "q", method: "elicitation/create", params: { message: "Name?", requestedSchema, ...related } };
}

/** All tasks wait for an answer, and calls without a task never end. Nobody but the callers can answer. */
async function setUp(methods: Methods = {}) {
  const now = "2026-01-01T00:00:00Z";
  const task = (taskId: string) => ({
    taskId,
    status: "input_required",
    ttl: 60_000,
    createdAt: now,
    lastUpdatedAt: now,
  });
  const scripted = await openScriptedSession(
    "legacy",
    {
      "tools/call": ({ params }): JsonObject | undefined => (params["task"] ? { task: task("t1") } : undefined),
      "tasks/get": ({ params }) => task(params["taskId"] as string),
      "tasks/result": () => undefined,
      "tasks/cancel": ({ params }) => ({ ...task(params["taskId"] as string), status: "cancelled" }),
      ...methods,
    },
    {
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      ports: { onUnattributedRequest: () => undefined },
    },
  );
  const { session, sent } = scripted;
  const begin = (caller: Caller) => session.request(call, { ...ctx, caller, tasks: {} });
  /** Polls a task without waiting for its question. */
  const poll = async (taskId: string, caller: Caller) => {
    const stop = new AbortController();
    const polled = session.request(get(taskId), { ...ctx, caller, signal: stop.signal });
    await settle();
    stop.abort();
    return polled;
  };
  const answers = () => sent.filter(({ id, method }) => id === "q" && method === undefined);
  const countSent = (method: string) => sent.filter((message) => message.method === method).length;
  return { ...scripted, begin, poll, answers, countSent };
}

function watch(pending: Promise<Outcome>): { outcome?: Outcome } {
  const watched: { outcome?: Outcome } = {};
  void pending.then((outcome) => (watched.outcome = outcome));
  return watched;
}

describe("a question that names the task of a client", () => {
  it("waits until its client polls the task, and never reaches the call of another client", async () => {
    const { session, receive, begin, answers } = await setUp();
    await begin(ann);
    const bobs = watch(session.request(call, { ...ctx, caller: bob }));
    receive(question("t1"));
    await settle();
    expect(bobs.outcome).toBeUndefined();
    const polled = await session.request(get("t1"), { ...ctx, caller: ann });
    expect(polled).toMatchObject({ result: { status: "input_required", inputRequests: { "ask-1-1": {} } } });
    expect(bobs.outcome).toBeUndefined();
    expect(answers()).toEqual([]);
  });

  it("is answered with cancel if nobody polls the task", async () => {
    const { session, receive, begin, clock, answers } = await setUp();
    await begin(ann);
    const bobs = watch(session.request(call, { ...ctx, caller: bob, timeoutMs: 600_000 }));
    receive(question("t1"));
    clock.advance(120_000);
    await settle();
    expect(answers()).toMatchObject([{ result: { action: "cancel", _meta: { [RELATED]: { taskId: "t1" } } } }]);
    expect(bobs.outcome).toBeUndefined();
  });

  it("is forgotten if the server cancels it", async () => {
    const { session, receive, begin, clock, answers } = await setUp();
    await begin(ann);
    receive(question("t1"));
    receive({ method: "notifications/cancelled", params: { requestId: "q" } });
    const polled = session.request(get("t1"), { ...ctx, caller: ann });
    await settle();
    clock.advance(1000);
    expect(await polled).toMatchObject({ result: { status: "working" } });
    clock.advance(120_000);
    await settle();
    expect(answers()).toEqual([]);
  });
});

describe("a question that names no task while the task of another client is open", () => {
  it.each(["that runs", "whose result is requested"])(
    "does not reach a call if it may come from a task %s",
    async (kind) => {
      const { session, receive, begin, poll, clock, answers } = await setUp();
      await begin(ann);
      if (kind !== "that runs") await poll("t1", ann);
      const bobs = watch(session.request(call, { ...ctx, caller: bob }));
      receive(question());
      await settle();
      expect(bobs.outcome).toBeUndefined();
      clock.advance(5000);
      await settle();
      expect(bobs.outcome).toBeUndefined();
      expect(answers()).toMatchObject([{ result: { action: "cancel" } }]);
    },
  );

  it("does not reach a call if it arrives right after the id of the task", async () => {
    const { session, sent, receive } = await setUp({ "tools/call": () => undefined });
    const anns = session.request(call, { ...ctx, caller: ann, tasks: {} });
    const { id } = sent.at(-1)!;
    const bobs = watch(session.request(call, { ...ctx, caller: bob }));
    receive({ id, result: { task: { taskId: "t1", status: "working", ttl: null } } });
    receive(question());
    expect(await anns).toMatchObject({ type: "task" });
    await settle();
    expect(bobs.outcome).toBeUndefined();
  });

  const ends: [string, (scripted: Awaited<ReturnType<typeof setUp>>) => unknown][] = [
    ["its server reports the end", ({ receive }) => receive({ ...taskStatus("completed") })],
    ["it is cancelled", ({ session }) => session.request({ method: "tasks/cancel", params: { taskId: "t1" } }, ctx)],
    ["its ttl is over", ({ clock }) => clock.advance(60_000)],
  ];
  it.each(ends)("reaches a call after the task has ended because %s", async (_, end) => {
    const scripted = await setUp();
    await scripted.begin(ann);
    await end(scripted);
    const bobs = scripted.session.request(call, { ...ctx, caller: bob });
    scripted.receive(question());
    expect(await bobs).toMatchObject({ type: "asks" });
  });

  it("reaches the call of the client that has begun the task", async () => {
    const { session, receive, begin } = await setUp();
    await begin(ann);
    const anns = session.request(call, { ...ctx, caller: ann });
    receive(question());
    expect(await anns).toMatchObject({ type: "asks" });
  });
});

describe("requests for the results of tasks that wait for an answer", () => {
  it("are open for at most 16 tasks of one client, so that other clients can still call", async () => {
    const { session, poll, countSent } = await setUp({
      "tools/call": () => ({ content: [{ type: "text", text: "ok" }] }),
    });
    for (let i = 0; i < 1100; i++) await poll(`t${i}`, ann);
    expect(countSent("tasks/result")).toBe(16);
    await poll("of-bob", bob);
    expect(countSent("tasks/result")).toBe(17);
    expect(await session.request(call, { ...ctx, caller: bob })).toMatchObject({ type: "complete" });
  });

  it("are cancelled when the ttl of the task is over, also while a question is open", async () => {
    const { poll, receive, clock, countSent } = await setUp();
    for (let i = 0; i < 16; i++) await poll(`t${i}`, ann);
    receive(question("t0"));
    await settle();
    clock.advance(60_000);
    await settle();
    expect(countSent("notifications/cancelled")).toBe(16);
    await poll("next", ann);
    expect(countSent("tasks/result")).toBe(17);
  });

  it("are cancelled with their task", async () => {
    const { session, poll, countSent } = await setUp();
    await poll("t1", ann);
    await session.request({ method: "tasks/cancel", params: { taskId: "t1" } }, ctx);
    expect(countSent("notifications/cancelled")).toBe(1);
  });

  it("leave no result in memory: the next poll requests it again", async () => {
    const result = { content: [{ type: "text", text: "done" }] };
    const { poll, countSent } = await setUp({ "tasks/result": () => result });
    await poll("t1", ann);
    await poll("t1", ann);
    expect(countSent("tasks/result")).toBe(2);
  });
});

function taskStatus(status: string) {
  return { method: "notifications/tasks/status", params: { taskId: "t1", status, ttl: 60_000 } };
}
