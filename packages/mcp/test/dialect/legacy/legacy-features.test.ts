/** Tests all features of the legacy client except plain tool calls: subscriptions, logs, roots, sampling, sessions. */
import { HostError } from "@plugboard/contracts";
import type { JsonObject, LogEntry } from "@plugboard/contracts";
import { describe, expect, it, vi } from "vitest";
import { expectSuspended, expectFailure } from "../../helpers/connect.ts";
import { ctx, ErrorReply, openScriptedSession } from "../../helpers/scripted-session.ts";
import type { Methods } from "../../helpers/scripted-session.ts";

const done = { content: [] };
const HANDSHAKE = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "scripted", version: "1" },
};
const CALL = { method: "tools/call", params: { name: "it", arguments: {} } } as const;

describe("LegacyClient", () => {
  describe("capability that the server has not declared", { meta: { covers: ["R2.14"] } }, () => {
    it.each([
      ["tools/list", {}, {}],
      ["resources/read", { uri: "a:b" }, { tools: {} }],
      ["prompts/list", {}, { resources: {} }],
      [
        "completion/complete",
        { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
        { tools: {} },
      ],
      ["tasks/get", { taskId: "1" }, { extensions: { "io.modelcontextprotocol/tasks": {} } }],
    ] as const)("fails %s with NOT_OFFERED without sending it", async (method, params, capabilities) => {
      const { session, sent } = await openScriptedSession("legacy", {}, { capabilities });
      const before = sent.length;
      expect(expectFailure(await session.request({ method, params } as never, ctx))).toMatchObject({
        code: "NOT_OFFERED",
      });
      expect(sent.length).toBe(before);
    });

    it("sends the params of a request unchanged", async () => {
      const echo: Methods[string] = ({ params }) => ({ seen: params });
      const { session } = await openScriptedSession("legacy", { "prompts/get": echo, "resources/read": echo });
      const prompt = { method: "prompts/get", params: { name: "p", arguments: { a: "1" } } } as const;
      expect(await session.request(prompt, ctx)).toMatchObject({
        result: { seen: { name: "p", arguments: { a: "1" } } },
      });
      const read = { method: "resources/read", params: { uri: "a:b" } } as const;
      expect(await session.request(read, ctx)).toMatchObject({ result: { seen: { uri: "a:b" } } });
    });
  });

  describe("resource subscription", () => {
    const capabilities = { resources: { subscribe: true, listChanged: true } };

    it("is sent once for all listeners and ends with the last one", async () => {
      const { session, sent } = await openScriptedSession(
        "legacy",
        { "resources/subscribe": () => ({}) },
        { capabilities },
      );
      const one = session.listen({ uris: ["a:1"] }, () => {});
      const two = session.listen({ uris: ["a:1"] }, () => {});
      one.stop();
      one.stop();
      await vi.waitFor(() =>
        expect(sent.at(-1)).toMatchObject({ method: "resources/subscribe", params: { uri: "a:1" } }),
      );
      two.stop();
      await vi.waitFor(() =>
        expect(sent.at(-1)).toMatchObject({ method: "resources/unsubscribe", params: { uri: "a:1" } }),
      );
      expect(sent.filter(({ method }) => method === "resources/subscribe")).toHaveLength(1);
    });

    it("reports updates of the resource and of the resources below it", async () => {
      const { session, receive } = await openScriptedSession("legacy", {}, { capabilities });
      const received: unknown[] = [];
      session.listen({ uris: ["a:1"], resources: true }, (change) => received.push(change));
      session.listen({ tools: true, uris: ["b:1"], prompts: false }, (change) => received.push(["other", change]));
      receive({ method: "notifications/resources/updated", params: { uri: "a:1/x" } });
      receive({ method: "notifications/resources/updated", params: { uri: "a:12" } });
      receive({ method: "notifications/resources/list_changed" });
      receive({ method: "notifications/prompts/list_changed" });
      expect(received).toEqual([{ type: "resource", uri: "a:1/x" }, { type: "resources" }]);
    });
  });

  describe("server log", () => {
    const say = (level: string, data: string) => ({ method: "notifications/message", params: { level, data } });

    it("is requested at the most verbose level that any caller wants", async () => {
      const { session, sent } = await openScriptedSession("legacy", {
        "logging/setLevel": () => ({}),
        "tools/call": () => done,
      });
      for (const logLevel of ["warning", "info", "error"] as const) await session.request(CALL, { ...ctx, logLevel });
      const levels = sent.filter(({ method }) => method === "logging/setLevel").map(({ params }) => params?.["level"]);
      expect(levels).toEqual(["warning", "info"]);
    });

    it("goes to the only running call, except for entries below the log level of that call", async () => {
      const unattributed: LogEntry[] = [];
      const ports = { onLog: (entry: LogEntry) => unattributed.push(entry) };
      const server = await openScriptedSession(
        "legacy",
        { "logging/setLevel": () => ({}), "tools/call": () => undefined },
        { ports },
      );
      const received: LogEntry[] = [];
      const sent = server.next("tools/call");
      const running = server.session.request(CALL, {
        ...ctx,
        logLevel: "info",
        onLog: (entry) => received.push(entry),
      });
      const { id } = await sent;
      server.receive(say("debug", "too much"));
      server.receive(say("error", "broken"));
      const second = server.next("tools/call");
      void server.session.request(CALL, ctx);
      await second;
      server.receive(say("error", "whose?"));
      server.receive({ id, result: done });
      await running;
      expect(received).toEqual([{ level: "error", data: "broken" }]);
      expect(unattributed).toEqual([{ level: "error", data: "whose?" }]);
    });
  });

  describe("client features", () => {
    it("answers the server's roots/list if roots are declared", async () => {
      const ports = { roots: () => [{ uri: "file:///work", name: "work" }] };
      const { session, sent, receive, next } = await openScriptedSession("legacy", {}, { ports });
      expect(sent[0]?.params).toMatchObject({ capabilities: { roots: { listChanged: true } } });
      const answer = next("r1");
      receive({ id: "r1", method: "roots/list" });
      expect(await answer).toMatchObject({ result: { roots: [{ uri: "file:///work", name: "work" }] } });
      session.notifyRootsChanged();
      expect(sent.at(-1)).toMatchObject({ method: "notifications/roots/list_changed" });
    });

    it("delays a call until the server has had time to apply the roots that it has requested", async () => {
      const ports = { roots: () => [{ uri: "file:///work" }] };
      const { session, clock, sent, receive, next } = await openScriptedSession(
        "legacy",
        { "tools/call": () => done, "tools/list": () => ({ tools: [] }), ping: () => undefined },
        { ports },
      );
      const calls = () => sent.filter(({ method }) => method === "tools/call").length;
      const pinged = next("ping");
      receive({ id: "r1", method: "roots/list" });
      const { id } = await pinged;
      const running = session.request(CALL, ctx);
      // A listing of tools is not delayed, because it does not depend on the roots.
      await session.request({ method: "tools/list", params: {} }, ctx);
      expect(calls()).toBe(0);
      receive({ id, result: {} });
      await vi.waitFor(() => {
        clock.advance(30);
        expect(calls()).toBe(1);
      });
      expect(await running).toEqual({ type: "complete", result: done });
      await session.request(CALL, ctx);
      expect(calls()).toBe(2);
    });

    it("sends a call even if the server ignores pings, and without delay if the roots were requested during a call", async () => {
      const ports = { roots: () => [] };
      const { session, clock, sent, receive, next } = await openScriptedSession(
        "legacy",
        { "tools/call": () => undefined, ping: () => undefined },
        { ports },
      );
      const pinged = next("ping");
      receive({ id: "r1", method: "roots/list" });
      await pinged;
      const called = next("tools/call");
      const first = session.request(CALL, { ...ctx, timeoutMs: 5000 });
      await vi.waitFor(() => {
        clock.advance(1000);
        expect(sent.at(-1)).toMatchObject({ method: "tools/call" });
      });
      const { id } = await called;
      const answered = next("r2");
      receive({ id: "r2", method: "roots/list" });
      await answered;
      void session.request(CALL, ctx);
      expect(sent.at(-1)).toMatchObject({ method: "tools/call" });
      receive({ id, result: done });
      expect(await first).toEqual({ type: "complete", result: done });
    });

    it.each(["roots/list", "sampling/createMessage"])(
      "rejects the server's %s if it was not declared",
      { meta: { covers: ["F23", "R2.15"] } },
      async (method) => {
        const { sent, receive, next } = await openScriptedSession("legacy", {});
        expect(sent[0]?.params).toMatchObject({ capabilities: { elicitation: {} } });
        expect(Object.keys(sent[0]?.params?.["capabilities"] as object)).toEqual(["elicitation"]);
        const answer = next("r1");
        receive({ id: "r1", method, params: { messages: [] } });
        expect(await answer).toMatchObject({ error: { code: -32601 } });
      },
    );

    it("forwards the server's sampling request if sampling is declared", async () => {
      const { session, receive, next } = await openScriptedSession(
        "legacy",
        { "tools/call": () => undefined },
        { ports: { sampling: true } },
      );
      const sent = next("tools/call");
      const running = session.request(CALL, ctx);
      const { id } = await sent;
      receive({ id: "s1", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });
      const suspended = expectSuspended(await running);
      expect(suspended.asks).toMatchObject({ "ask-1": { type: "sampling", rawParams: { maxTokens: 1 } } });
      const said = { role: "assistant", model: "m", content: { type: "text", text: "hi" } };
      const answer = next("s1");
      const end = suspended.resume({ "ask-1": { action: "sampled", result: said } }, {});
      expect((await answer).result).toEqual(said);
      receive({ id, result: done });
      expect(await end).toEqual({ type: "complete", result: done });
    });

    it.each([
      ["rejects tools in a sampling request if they were not declared", true, {}, { error: { code: -32602 } }],
      [
        "accepts tools in a sampling request if they were declared",
        "with-tools",
        { tools: {} },
        { result: { model: "m" } },
      ],
    ] as const)("%s", async (_, sampling, declared, answered) => {
      const { session, sent, receive, next } = await openScriptedSession(
        "legacy",
        { "tools/call": () => undefined },
        { ports: { sampling } },
      );
      expect(sent[0]?.params).toMatchObject({ capabilities: { sampling: declared } });
      const called = next("tools/call");
      const running = session.request(CALL, ctx);
      await called;
      const answer = next("s1");
      receive({ id: "s1", method: "sampling/createMessage", params: { messages: [], tools: [] } });
      if (sampling === "with-tools") {
        const result = { role: "assistant", model: "m", content: [] };
        void expectSuspended(await running).resume({ "ask-1": { action: "sampled", result } }, {});
      }
      expect(await answer).toMatchObject(answered);
    });

    it.each([{ action: "decline" }, { action: "cancel" }] as const)(
      "rejects sampling if the answer is $action",
      async (refusal) => {
        const { session, receive, next } = await openScriptedSession(
          "legacy",
          { "tools/call": () => undefined },
          { ports: { sampling: true } },
        );
        const sent = next("tools/call");
        const running = session.request(CALL, ctx);
        await sent;
        receive({ id: "s1", method: "sampling/createMessage", params: { messages: [] } });
        const answer = next("s1");
        void expectSuspended(await running).resume({ "ask-1": refusal }, {});
        expect(await answer).toMatchObject({ error: { code: -1 } });
      },
    );
  });

  it("answers two questions with the same id, each on the stream of its call", async () => {
    const server = await openScriptedSession("legacy", { "tools/call": () => undefined }, { shared: false });
    const running = [];
    for (const name of ["Ann", "Bob"]) {
      const sent = server.next("tools/call");
      const call = server.session.request(CALL, ctx);
      const { id } = await sent;
      const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
      server.receive({ id: "q", method: "elicitation/create", params: { message: name, requestedSchema } }, id);
      running.push({ name, call });
    }
    for (const { name, call } of running) {
      const answer = server.next("q");
      void expectSuspended(await call).resume({ "ask-1": { action: "accept", content: { name } } }, {});
      expect(await answer).toMatchObject({ result: { content: { name } } });
    }
  });

  describe("lost session", () => {
    const forgotten = new HostError("SESSION_LOST", { server: "scripted" });

    /** Loses the session once, before the call with the given number. */
    function forgetful(at: number, more: Methods = {}) {
      let calls = 0;
      const methods: Methods = { "tools/call": () => (++calls === at ? forgotten : done), ...more };
      return openScriptedSession("legacy", methods, {
        shared: false,
        capabilities: { tools: {}, resources: { subscribe: true } },
      });
    }

    it(
      "is replaced, and the rejected request is sent again once",
      { meta: { covers: ["R0.51", "R2.13"] } },
      async () => {
        const { session, sent } = await forgetful(1);
        expect(await session.request(CALL, ctx)).toEqual({ type: "complete", result: done });
        expect(sent.map(({ method }) => method)).toEqual([
          "initialize",
          "notifications/initialized",
          "tools/call",
          "initialize",
          "notifications/initialized",
          "tools/call",
        ]);
      },
    );

    it("is replaced once for all waiting calls, and subscriptions are sent again", async () => {
      let forgetting = true;
      const methods: Methods = {
        "tools/call": () => (forgetting ? forgotten : done),
        "resources/subscribe": () => ({}),
      };
      const capabilities = { tools: {}, resources: { subscribe: true } };
      const { session, sent, next } = await openScriptedSession("legacy", methods, { shared: false, capabilities });
      const changes: unknown[] = [];
      session.listen({ tools: true, uris: ["a:1"] }, (change) => changes.push(change));
      const again = next("initialize");
      const calls = [1, 2, 3].map(() => session.request(CALL, ctx));
      await again;
      forgetting = false;
      const late = session.request(CALL, ctx);
      for (const outcome of await Promise.all([...calls, late])) expect(outcome.type).toBe("complete");
      expect(sent.filter(({ method }) => method === "initialize")).toHaveLength(2);
      await vi.waitFor(() => expect(sent.filter(({ method }) => method === "resources/subscribe")).toHaveLength(2));
      expect(changes).toEqual([{ type: "tools" }]);
    });

    it("is not replaced again for a call whose rejection comes after the replacement", async () => {
      let opened: (answer: JsonObject) => void = () => {};
      let openings = 0;
      const methods: Methods = {
        initialize: () => (++openings === 1 ? HANDSHAKE : new Promise((resolve) => (opened = resolve))),
        "tools/call": () => (openings === 1 ? undefined : done),
      };
      const { session, sent, next, failRequest } = await openScriptedSession("legacy", methods, { shared: false });
      const first = next("tools/call");
      const early = session.request(CALL, ctx);
      const { id } = await first;
      const second = next("tools/call");
      const slow = session.request(CALL, ctx);
      const { id: slowId } = await second;
      const again = next("initialize");
      failRequest(id!, forgotten);
      await again;
      const meanwhile = session.request(CALL, ctx);
      await new Promise(setImmediate);
      expect(sent.at(-1)).toMatchObject({ method: "initialize" });
      opened(HANDSHAKE);
      expect((await early).type).toBe("complete");
      expect((await meanwhile).type).toBe("complete");
      failRequest(slowId!, forgotten);
      expect((await slow).type).toBe("complete");
      expect(openings).toBe(2);
    });

    it("fails the call if the server loses the new session too", async () => {
      const methods: Methods = { "tools/call": () => forgotten };
      const { session, sent } = await openScriptedSession("legacy", methods, { shared: false });
      expect(expectFailure(await session.request(CALL, ctx))).toMatchObject({ code: "SESSION_LOST" });
      expect(sent.filter(({ method }) => method === "tools/call")).toHaveLength(2);
    });

    it("does not keep a call waiting beyond its timeout or cancellation", async () => {
      let openings = 0;
      const methods: Methods = {
        initialize: () => (++openings === 1 ? HANDSHAKE : undefined),
        "tools/call": () => forgotten,
      };
      const { session, sent, clock, next } = await openScriptedSession("legacy", methods, { shared: false });
      const abort = new AbortController();
      const again = next("initialize");
      const refused = session.request(CALL, { ...ctx, signal: abort.signal });
      const impatient = session.request(CALL, { ...ctx, timeoutMs: 500 });
      await again;
      const waiting = session.request(CALL, { ...ctx, signal: abort.signal });
      const late = session.request(CALL, { ...ctx, maxMs: 500 });
      abort.abort();
      for (const outcome of [refused, waiting])
        expect(expectFailure(await outcome)).toMatchObject({ code: "CANCELLED" });
      clock.advance(500);
      for (const outcome of [impatient, late])
        expect(expectFailure(await outcome)).toMatchObject({ code: "SESSION_LOST" });
      expect(sent.filter(({ method }) => method === "tools/call")).toHaveLength(2);
    });

    it("is also replaced when a ping finds that it is lost", async () => {
      let pings = 0;
      const methods: Methods = { ping: () => (++pings === 1 ? forgotten : {}) };
      const { session, sent } = await openScriptedSession("legacy", methods, { shared: false });
      await session.ping(new AbortController().signal);
      expect(sent.filter(({ method }) => method === "initialize")).toHaveLength(2);
    });
  });

  describe("call that is rejected until a page was visited", () => {
    const elicitations = [{ mode: "url", url: "https://pay.example/1", message: "Pay first", elicitationId: "e1" }];
    const required = new ErrorReply({ code: -32042, message: "visit first", data: { elicitations } });

    async function refusing(times: number) {
      let calls = 0;
      const methods: Methods = { "tools/call": () => (++calls <= times ? required : done) };
      const server = await openScriptedSession("legacy", methods);
      return { ...server, calls: () => calls };
    }

    it("asks for the visit, and is sent again at once when the user says that the visit is done", async () => {
      const { session, calls } = await refusing(1);
      const suspended = expectSuspended(await session.request(CALL, ctx));
      expect(suspended.asks).toMatchObject({
        "url-1": {
          type: "elicitation",
          elicitation: { mode: "url", url: "https://pay.example/1", message: "Pay first" },
        },
      });
      const end = await suspended.resume({ "url-1": { action: "accept" } }, {});
      expect(end).toEqual({ type: "complete", result: done });
      expect(calls()).toBe(2);
    });

    it("is sent again without an answer when the server has reported the visit", async () => {
      const { session, receive, calls } = await refusing(1);
      const suspended = expectSuspended(await session.request(CALL, ctx));
      receive({ method: "notifications/elicitation/complete", params: { elicitationId: "another" } });
      expect(suspended.obsolete.aborted).toBe(false);
      receive({ method: "notifications/elicitation/complete", params: { elicitationId: "e1" } });
      expect(suspended.obsolete.aborted).toBe(true);
      expect(await suspended.resume({}, {})).toEqual({ type: "complete", result: done });
      expect(calls()).toBe(2);
    });

    it.each([{ action: "decline" }, { action: "cancel" }] as const)(
      "fails with the server's error if the answer is $action",
      async (answer) => {
        const { session, calls } = await refusing(1);
        const outcome = await expectSuspended(await session.request(CALL, ctx)).resume({ "url-1": answer }, {});
        expect(expectFailure(outcome).peer).toMatchObject({ code: -32042 });
        expect(calls()).toBe(1);
      },
    );

    it("fails if the server asks for too many pages", async () => {
      const many = Array.from({ length: 33 }, () => elicitations[0]!);
      const refusal = new ErrorReply({ code: -32042, message: "visit first", data: { elicitations: many } });
      const { session } = await openScriptedSession("legacy", { "tools/call": () => refusal });
      expect(expectFailure(await session.request(CALL, ctx)).peer).toMatchObject({ code: -32042 });
    });

    it("fails after ten rejections", async () => {
      const { session, calls } = await refusing(Infinity);
      let outcome = await session.request(CALL, ctx);
      while (outcome.type === "asks") outcome = await outcome.resume({ "url-1": { action: "accept" } }, {});
      expect(expectFailure(outcome).peer).toMatchObject({ code: -32042 });
      expect(calls()).toBe(11);
    });
  });

  describe("server that repeats a question with the same id", () => {
    const asking = (message: string) => ({
      id: "q",
      method: "elicitation/create",
      params: { message, requestedSchema: { type: "object", properties: {} } },
    });

    it("gets the answer to the last question, and after it the timeout runs again", async () => {
      const { session, receive, next, clock } = await openScriptedSession("legacy", { "tools/call": () => undefined });
      const sent = next("tools/call");
      const running = session.request(CALL, ctx);
      await sent;
      receive(asking("first"));
      const first = expectSuspended(await running);
      receive(asking("second"));
      expect(first.obsolete.aborted).toBe(true);
      const second = expectSuspended(await first.resume({ "ask-1": { action: "accept" } }, {}));
      expect(second.asks["ask-1"]).toMatchObject({ elicitation: { message: "second" } });
      const answered = next("q");
      const end = second.resume({ "ask-1": { action: "decline" } }, {});
      expect((await answered).result).toEqual({ action: "decline" });
      clock.advance(ctx.timeoutMs);
      expect(expectFailure(await end)).toMatchObject({ code: "REQUEST_TIMEOUT" });
    });
  });

  describe("server that asks more while a call is suspended", () => {
    const asking = (id: string) => ({
      id,
      method: "elicitation/create",
      params: { message: id, requestedSchema: { type: "object", properties: {} } },
    });
    const accepted = { action: "accept", content: {} } as const;

    async function suspendCall() {
      const server = await openScriptedSession("legacy", { "tools/call": () => undefined });
      const sent = server.next("tools/call");
      const running = server.session.request(CALL, ctx);
      await sent;
      server.receive(asking("first"));
      return { ...server, suspended: expectSuspended(await running) };
    }

    it("gets each answer at once, and a listener also gets the questions that came before it", async () => {
      const { receive, next, suspended } = await suspendCall();
      receive(asking("second"));
      const keys: string[] = [];
      suspended.live!.onAsk((key) => keys.push(key) > 0);
      receive(asking("third"));
      expect(keys).toEqual(["ask-2", "ask-3"]);
      const third = next("third");
      suspended.live!.answer("ask-3", accepted);
      expect((await third).result).toEqual(accepted);
      const others = [next("first"), next("second")];
      void suspended.resume({ "ask-1": accepted, "ask-2": accepted, "ask-3": { action: "decline" } }, {});
      expect((await Promise.all(others)).map(({ result }) => result)).toEqual([accepted, accepted]);
    });

    it("has its other questions in the next outcome if no listener has taken them", async () => {
      const { receive, suspended } = await suspendCall();
      const stop = suspended.live!.onAsk(() => false);
      receive(asking("second"));
      stop();
      receive(asking("third"));
      const { asks } = expectSuspended(await suspended.resume({ "ask-1": accepted }, {}));
      expect(Object.values(asks).map(({ rawParams }) => rawParams["message"])).toEqual(["second", "third"]);
    });
  });

  it("does not wait for the log level longer than the call's timeout", async () => {
    const methods: Methods = { "logging/setLevel": () => undefined, "tools/call": () => done };
    const { session, next, clock } = await openScriptedSession("legacy", methods, {
      capabilities: { tools: {}, logging: {} },
    });
    const asked = next("logging/setLevel");
    const running = session.request(CALL, { ...ctx, timeoutMs: 500, logLevel: "debug" });
    await asked;
    clock.advance(500);
    expect(await running).toEqual({ type: "complete", result: done });
  });

  it("answers an unattributed question with cancel if its handler fails", async () => {
    const ports = { onUnattributedRequest: () => Promise.reject(new Error("nobody")) };
    const { receive, next } = await openScriptedSession("legacy", {}, { ports });
    const answered = next("q");
    const params = { message: "?", requestedSchema: { type: "object", properties: {} } };
    receive({ id: "q", method: "elicitation/create", params });
    expect((await answered).result).toEqual({ action: "cancel" });
  });
});
