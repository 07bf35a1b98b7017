/** Tests all features of the modern client except plain tool calls: subscriptions, tasks, headers and logs. */
import { HostError } from "@plugboard/contracts";
import type { Caller, JsonObject, LogEntry, Principal } from "@plugboard/contracts";
import { describe, expect, it, vi } from "vitest";
import { expectSuspended, expectFailure } from "../../helpers/connect.ts";
import { ctx, ErrorReply, openScriptedSession } from "../../helpers/scripted-session.ts";
import type { Methods, ScriptedSession } from "../../helpers/scripted-session.ts";

const done = { resultType: "complete", content: [] };
const CALL = { method: "tools/call", params: { name: "it", arguments: {} } } as const;
const META = "io.modelcontextprotocol/";
const metaOf = (sent: { params?: JsonObject } | undefined) => sent?.params?.["_meta"] as JsonObject;

describe("ModernClient", () => {
  describe("request capabilities", () => {
    it.each([
      ["no capability", { elicitation: false }, {}, {}],
      ["elicitation", {}, {}, { elicitation: { form: {}, url: {} } }],
      ["sampling", { elicitation: false, sampling: true }, {}, { sampling: {} }],
      ["sampling with tools", { elicitation: false, sampling: "with-tools" as const }, {}, { sampling: { tools: {} } }],
      ["tasks", { elicitation: false, tasks: true }, {}, { extensions: { [`${META}tasks`]: {} } }],
      ["roots", { elicitation: false }, { roots: () => [] }, { roots: {} }],
    ])("declare %s if the caller supports it", async (_, more, ports, expected) => {
      const { session, sent } = await openScriptedSession("modern", { "tools/call": () => done }, { ports });
      await session.request(CALL, { ...ctx, ...more });
      expect(metaOf(sent.at(-1))[`${META}clientCapabilities`]).toEqual(expected);
    });

    it("include the log level and the trace context of the caller", async () => {
      const { session, sent } = await openScriptedSession("modern", { "tools/call": () => done });
      await session.request(CALL, { ...ctx, logLevel: "info", trace: { traceparent: "00-1-2-01", tracestate: "a=b" } });
      expect(metaOf(sent.at(-1))).toMatchObject({
        [`${META}logLevel`]: "info",
        traceparent: "00-1-2-01",
        tracestate: "a=b",
      });
    });
  });

  describe("HTTP headers", () => {
    it.each([
      [{ method: "prompts/get", params: { name: "grüß" } }, "=?base64?Z3LDvMOf?="],
      [{ method: "resources/read", params: { uri: "file:///a%20b" } }, "file:///a%20b"],
      [{ method: "tasks/get", params: { taskId: "t 1" } }, "t 1"],
    ] as const)("describe the request %j", async (op, name) => {
      const capabilities = { prompts: {}, resources: {}, extensions: { [`${META}tasks`]: {} } };
      const { session, sent } = await openScriptedSession("modern", {}, { shared: false, capabilities });
      await session.request(op, ctx);
      expect(sent.at(-1)?.headers).toMatchObject({ "mcp-method": op.method, "mcp-name": name });
    });

    const schema = (header: string) => ({
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": header } },
    });
    const call = { method: "tools/call", params: { name: "it", arguments: { region: "eu" } } } as const;

    it("include the arguments that the tool's schema declares", async () => {
      const { session, sent } = await openScriptedSession("modern", { "tools/call": () => done }, { shared: false });
      expect(session.unusableReason({ name: "it", inputSchema: schema("Region") })).toBeUndefined();
      await session.request(call, ctx);
      expect(sent.at(-1)?.headers).toMatchObject({ "mcp-param-region": "eu" });
    });

    it("are taken from a new tool list once if the server reports a mismatch", async () => {
      const mismatch = new ErrorReply({ code: -32020, message: "header mismatch" });
      const methods: Methods = {
        "tools/call": ({ headers }) => (headers["mcp-param-zone"] === "eu" ? done : mismatch),
        "tools/list": ({ params }) =>
          params["cursor"] === undefined
            ? { tools: [], nextCursor: "2" }
            : { tools: [{ name: "it", inputSchema: schema("Zone") }] },
      };
      const { session, sent } = await openScriptedSession("modern", methods, { shared: false });
      session.unusableReason({ name: "it", inputSchema: schema("Region") });
      expect((await session.request(call, ctx)).type).toBe("complete");
      expect(sent.filter(({ method }) => method === "tools/call")).toHaveLength(2);

      const stubborn = await openScriptedSession(
        "modern",
        { ...methods, "tools/call": () => mismatch },
        { shared: false },
      );
      expect(expectFailure(await stubborn.session.request(call, ctx)).peer).toMatchObject({ code: -32020 });
      expect(stubborn.sent.filter(({ method }) => method === "tools/call")).toHaveLength(2);
    });

    it("are not taken from a new schema that is nested too deep", async () => {
      const mismatch = new ErrorReply({ code: -32020, message: "header mismatch" });
      let inputSchema: JsonObject = {};
      for (let depth = 0; depth < 3400; depth++) inputSchema = { a: inputSchema };
      const methods: Methods = {
        "tools/call": () => mismatch,
        "tools/list": () => ({ tools: [{ name: "it", inputSchema }] }),
      };
      const { session } = await openScriptedSession("modern", methods, { shared: false });
      expect(expectFailure(await session.request(call, ctx)).peer).toMatchObject({ code: -32020 });
    });

    it("are not searched for in new tool lists for longer than the call may take", async () => {
      const mismatch = new ErrorReply({ code: -32020, message: "header mismatch" });
      const methods: Methods = {
        "tools/call": () => mismatch,
        "tools/list": () => {
          server.clock.advance(100);
          return { tools: [], nextCursor: "on" };
        },
      };
      const server = await openScriptedSession("modern", methods, { shared: false });
      await server.session.request(call, { ...ctx, timeoutMs: 1000, maxMs: 350 });
      expect(server.sent.filter(({ method }) => method === "tools/list")).toHaveLength(4);
    });
  });

  describe("subscription", () => {
    const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
    const silent: Methods = { "subscriptions/listen": () => undefined };

    async function listening(shared: boolean) {
      const server = await openScriptedSession("modern", silent, { shared, capabilities });
      const received: unknown[] = [];
      const opened = server.next("subscriptions/listen");
      const listener = server.session.listen({ tools: true, uris: ["a:1"] }, (change) => received.push(change));
      const { id, params } = await opened;
      return { ...server, received, listener, id: id!, params };
    }

    const changed = (server: Pick<ScriptedSession, "receive">, id: string | number, via?: string | number) =>
      server.receive(
        { method: "notifications/tools/list_changed", params: { _meta: { [`${META}subscriptionId`]: id } } },
        via,
      );

    it.each([true, false])("receives the notifications with its id (multiplexed: %s)", async (shared) => {
      const server = await listening(shared);
      expect(server.params?.["notifications"]).toEqual({ toolsListChanged: true, resourceSubscriptions: ["a:1"] });
      changed(server, server.id, server.id);
      changed(server, 999);
      server.receive({ method: "notifications/resources/updated", params: { uri: "a:1" } }, server.id);
      server.receive({ method: "notifications/prompts/list_changed" }, server.id);
      expect(server.received).toEqual([{ type: "tools" }, { type: "resource", uri: "a:1" }]);
    });

    const acknowledge = (server: Pick<ScriptedSession, "receive">, id: string | number) =>
      server.receive({ method: "notifications/subscriptions/acknowledged", params: { notifications: {} } }, id);

    it("is established when the server has acknowledged it", async () => {
      const server = await listening(false);
      let isEstablished = false;
      void server.listener.established!.then(() => (isEstablished = true));
      await new Promise(setImmediate);
      expect(isEstablished).toBe(false);
      acknowledge(server, server.id);
      await server.listener.established;
      await new Promise(setImmediate);
      expect(server.clock.pendingTimers).toBe(0);
    });

    it("is not established if the server does not acknowledge it in time", async () => {
      const server = await listening(false);
      server.clock.advance(30_000);
      await expect(server.listener.established).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    });

    it("is reopened with backoff after a loss, and reports everything as changed", async () => {
      const server = await listening(false);
      acknowledge(server, server.id);
      await server.listener.established;
      for (const pause of [1000, 2000, 4000]) {
        const { id } = server.sent.findLast(({ method }) => method === "subscriptions/listen")!;
        server.failRequest(id!, new HostError("CONNECTION_LOST", { server: "scripted", reason: "gone" }));
        await new Promise(setImmediate);
        const again = server.next("subscriptions/listen");
        server.clock.advance(pause - 1);
        expect(server.clock.pendingTimers).toBe(1);
        server.clock.advance(1);
        await again;
      }
      expect(server.received.slice(0, 2)).toEqual([{ type: "tools" }, { type: "resource", uri: "a:1" }]);
    });

    it.each([
      [
        "a result",
        (server: Awaited<ReturnType<typeof listening>>) => server.receive({ id: server.id, result: {} }, server.id),
      ],
      [
        "a notification",
        (server: Awaited<ReturnType<typeof listening>>) =>
          server.receive({ method: "notifications/cancelled", params: { requestId: server.id } }),
      ],
    ])("is reopened after the server ended it with %s", async (_, end) => {
      const server = await listening(true);
      end(server);
      await new Promise(setImmediate);
      const again = server.next("subscriptions/listen");
      server.clock.advance(1000);
      await again;
    });

    it("is not reopened after the server rejected it or it was stopped", async () => {
      const server = await listening(true);
      server.receive({ id: server.id, error: { code: -32601, message: "no" } });
      await new Promise(setImmediate);
      expect(server.clock.pendingTimers).toBe(0);

      const other = await listening(true);
      other.listener.stop();
      await new Promise(setImmediate);
      expect(other.sent.at(-1)).toMatchObject({ method: "notifications/cancelled", params: { requestId: other.id } });
      expect(other.clock.pendingTimers).toBe(0);
    });
  });

  describe("task", () => {
    const working = { resultType: "task", taskId: "t1", status: "working", pollIntervalMs: 500 };

    /** Answers the polls with these statuses in order. */
    async function tasked(states: (JsonObject | HostError)[], more: Methods = {}) {
      const polls: string[] = [];
      const updates: JsonObject[] = [];
      const server = await openScriptedSession("modern", {
        "tools/call": () => working,
        "tasks/get": ({ params }) => {
          polls.push(params["taskId"] as string);
          const state = states.shift() ?? {};
          if (state instanceof HostError) return state;
          return { resultType: "complete", taskId: "t1", pollIntervalMs: 500, ...state };
        },
        "tasks/update": ({ params }) => {
          updates.push(params);
          return { resultType: "complete" };
        },
        "tasks/cancel": () => ({ resultType: "complete" }),
        ...more,
      });
      const outcome = await server.session.request(CALL, { ...ctx, tasks: true });
      if (outcome.type !== "task") throw new Error(`expected a task, got ${outcome.type}`);
      return { ...server, task: outcome, polls, updates };
    }

    /** Advances the clock until the task has ended. */
    async function over<T>(server: Pick<ScriptedSession, "clock">, promise: Promise<T>): Promise<T> {
      const state = { settled: false };
      void promise.then(() => (state.settled = true));
      for (let turn = 0; turn < 50 && !state.settled; turn++) {
        await new Promise(setImmediate);
        server.clock.advance(500);
      }
      return promise;
    }

    it("is polled at the server's interval until its result", { meta: { covers: ["R2.26"] } }, async () => {
      const states = [
        { status: "working", pollIntervalMs: 2000 },
        { status: "completed", result: { content: [] } },
      ];
      const server = await tasked(states);
      expect(server.task.task).toMatchObject({ taskId: "t1" });
      const end = server.task.follow({});
      const pass = async (ms: number) => {
        server.clock.advance(ms);
        await new Promise(setImmediate);
        return server.polls.length;
      };
      await pass(0);
      expect(await pass(499)).toBe(0);
      expect(await pass(1)).toBe(1);
      expect(await pass(1999)).toBe(1);
      expect(await pass(1)).toBe(2);
      expect(await end).toEqual({ type: "complete", result: { content: [] } });
      expect(server.polls).toEqual(["t1", "t1"]);
    });

    it.each([
      ["failed", { status: "failed", error: { code: -5, message: "broken" } }, { code: "TOOL_EXECUTION_FAILED" }],
      ["cancelled", { status: "cancelled" }, { code: "CANCELLED" }],
      ["completed without a result", { status: "completed" }, { code: "UNEXPECTED_RESPONSE" }],
      ["unknown", { status: "dreaming" }, { code: "UNEXPECTED_RESPONSE" }],
    ])("fails if its status is %s", async (_, state, expected) => {
      const server = await tasked([state]);
      expect(expectFailure(await over(server, server.task.follow({})))).toMatchObject(expected);
    });

    it("asks its question once and continues", async () => {
      const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
      const inputRequests = { q1: { method: "elicitation/create", params: { message: "Who?", requestedSchema } } };
      const asking = { status: "input_required", inputRequests };
      const server = await tasked([asking, asking, { status: "completed", result: { content: [] } }]);
      const suspended = expectSuspended(await over(server, server.task.follow({})));
      expect(suspended.portable).toBeUndefined();
      const answers = { q1: { action: "accept", content: { name: "Ann" } } } as const;
      expect(await over(server, suspended.resume(answers, {}))).toMatchObject({ type: "complete" });
      expect(server.updates).toMatchObject([{ taskId: "t1", inputResponses: answers }]);
    });

    it("survives a failed poll, but not five in a row", async () => {
      const lost = new HostError("CONNECTION_LOST", { server: "scripted", reason: "gone" });
      const server = await tasked([
        lost,
        { status: "working" },
        lost,
        { status: "completed", result: { content: [] } },
      ]);
      expect((await over(server, server.task.follow({}))).type).toBe("complete");
      const gone = await tasked([lost, lost, lost, lost, lost, { status: "completed", result: {} }]);
      expect(expectFailure(await over(gone, gone.task.follow({})))).toMatchObject({ code: "CONNECTION_LOST" });
    });

    it("is cancelled when its caller cancels the call", async () => {
      const server = await tasked([]);
      const caller = new AbortController();
      const end = server.task.follow({ signal: caller.signal });
      const cancelled = server.next("tasks/cancel");
      caller.abort();
      expect(expectFailure(await end)).toMatchObject({ code: "CANCELLED" });
      expect(await cancelled).toMatchObject({ params: { taskId: "t1" } });
    });

    it("ends within two seconds after its caller cancels it, even if the server does not answer", async () => {
      const server = await tasked([], { "tasks/cancel": () => undefined });
      const caller = new AbortController();
      const end = server.task.follow({ signal: caller.signal });
      const cancelled = server.next("tasks/cancel");
      caller.abort();
      await cancelled;
      server.clock.advance(2000);
      expect(expectFailure(await end)).toMatchObject({ code: "CANCELLED" });
    });

    it("can be polled by its id in another session", async () => {
      const capabilities = { tools: {}, extensions: { [`${META}tasks`]: {} } };
      const methods: Methods = { "tasks/get": () => ({ resultType: "complete", taskId: "t1", status: "working" }) };
      const { session } = await openScriptedSession("modern", methods, { capabilities });
      const outcome = await session.request({ method: "tasks/get", params: { taskId: "t1" } }, ctx);
      expect(outcome).toMatchObject({ type: "complete", result: { status: "working" } });
    });
  });

  describe("result that asks for input", () => {
    const asking = (inputRequests: JsonObject, requestState?: string) => ({
      resultType: "input_required",
      inputRequests,
      ...(requestState !== undefined && { requestState }),
    });

    it("is answered without the user if it asks only for roots", async () => {
      const methods: Methods = {
        "tools/call": ({ params }) =>
          params["inputResponses"]
            ? { ...done, seen: params["inputResponses"] }
            : asking({ r: { method: "roots/list" } }),
      };
      const ports = { roots: () => [{ uri: "file:///w" }] };
      const { session } = await openScriptedSession("modern", methods, { ports });
      const outcome = await session.request(CALL, ctx);
      expect(outcome).toMatchObject({ type: "complete", result: { seen: { r: { roots: [{ uri: "file:///w" }] } } } });
    });

    it("forwards sampling, and fails the call if sampling is rejected", async () => {
      const methods: Methods = {
        "tools/call": ({ params }) =>
          params["inputResponses"]
            ? { ...done, seen: params["inputResponses"] }
            : asking({ s: { method: "sampling/createMessage", params: { messages: [] } } }),
      };
      const { session } = await openScriptedSession("modern", methods);
      const lending = { ...ctx, sampling: true };
      const said = { role: "assistant", model: "m", content: { type: "text", text: "hi" } };
      const first = expectSuspended(await session.request(CALL, lending));
      const end = await first.resume({ s: { action: "sampled", result: said } }, {});
      expect(end).toMatchObject({ type: "complete", result: { seen: { s: said } } });
      const second = expectSuspended(await session.request(CALL, lending));
      expect(expectFailure(await second.resume({ s: { action: "decline" } }, {}))).toMatchObject({
        code: "SAMPLING_REFUSED",
      });
      expect(expectFailure(await session.request(CALL, ctx))).toMatchObject({ code: "UNEXPECTED_RESPONSE" });
    });

    it("does not extend the timeout of the call", async () => {
      const methods: Methods = {
        "tools/call": ({ params }) =>
          params["inputResponses"] ? undefined : asking({ q: { method: "elicitation/create", params: FORM } }),
      };
      const { session, clock, next } = await openScriptedSession("modern", methods);
      const suspended = expectSuspended(await session.request(CALL, { ...ctx, timeoutMs: 600_000, maxMs: 600_000 }));
      clock.advance(599_000);
      const sent = next("tools/call");
      const end = suspended.resume({ q: { action: "accept" } }, {});
      await sent;
      clock.advance(1000);
      expect(expectFailure(await end)).toMatchObject({ code: "REQUEST_TIMEOUT" });
    });
  });

  const FORM = { message: "?", requestedSchema: { type: "object", properties: {} } };

  it("passes a log entry only to the call of its stream", async () => {
    const unattributed: LogEntry[] = [];
    const ports = { onLog: (entry: LogEntry) => unattributed.push(entry) };
    const server = await openScriptedSession("modern", { "tools/call": () => undefined }, { ports, shared: false });
    const received: LogEntry[] = [];
    const sent = server.next("tools/call");
    const running = server.session.request(CALL, { ...ctx, logLevel: "info", onLog: (entry) => received.push(entry) });
    const { id } = await sent;
    server.receive({ method: "notifications/message", params: { level: "info", data: 1 } }, id);
    server.receive({ method: "notifications/message", params: { level: "info", data: 2 } }, 999);
    server.receive({ method: "notifications/message", params: { level: "loud", data: 3 } }, id);
    server.receive({ id, result: done }, id);
    await running;
    expect(received).toEqual([{ level: "info", data: 1 }]);
    expect(unattributed).toEqual([]);
  });

  it("reports a log entry without a stream if all calls that want logs have one principal", async () => {
    const onLog = vi.fn<(entry: LogEntry, principal: string | undefined) => void>();
    const server = await openScriptedSession("modern", { "tools/call": () => undefined }, { ports: { onLog } });
    const call = async (principal?: Principal) => {
      const sent = server.next("tools/call");
      const caller: Caller = { kind: "front", id: "c", ...(principal && { principal }) };
      void server.session.request(CALL, { ...ctx, caller, logLevel: "info", onLog: () => {} });
      await sent;
    };
    const ann: Principal = { id: "token:ann", name: "client", mayApprove: false };
    const entry = { level: "info", data: 1 } as const;
    const say = () => server.receive({ method: "notifications/message", params: entry });
    await call(ann);
    await call(ann);
    say();
    expect(onLog.mock.calls).toEqual([[entry, ann.id]]);
    await call();
    say();
    expect(onLog).toHaveBeenCalledTimes(1);
  });
});
