/** Tests the gateway's side of both eras, with a handler that offers all capabilities. */
import type { Caller, JsonObject } from "@plugboard/contracts";
import type {
  Change,
  ChangeFilter,
  FrontContext,
  McpRequestHandler,
  ServerCapabilities,
  Op,
  Outcome,
} from "@plugboard/mcp";
import { LegacyServer } from "#dialect/legacy/legacy-server.js";
import { ModernServer } from "#dialect/modern/modern-server.js";
import { Deferred } from "#lib/deferred.js";
import type { Message } from "#wire/message.js";
import { describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const front: Caller = { kind: "front", id: "f" };
const ALL: ServerCapabilities = {
  tools: true,
  resources: true,
  prompts: true,
  completion: true,
  logging: true,
  tasks: true,
  subscribe: true,
  listChanged: { tools: true, resources: true, prompts: true },
};
const NONE: ServerCapabilities = {
  ...ALL,
  resources: false,
  prompts: false,
  completion: false,
  logging: false,
  tasks: false,
  subscribe: false,
};

function handling(outcome: (op: Op, ctx: FrontContext) => Outcome, offers = ALL) {
  const listeners = new Map<ChangeFilter, (change: Change) => void>();
  const seen: { op: Op; ctx: FrontContext }[] = [];
  const handler: McpRequestHandler = {
    identity: { name: "plugboard", version: "0" },
    capabilities: () => offers,
    request: async (op, _caller, ctx) => {
      seen.push({ op, ctx });
      return outcome(op, ctx);
    },
    storeSuspended: async () => "kept",
    resume: async (_state, answers) => ({ type: "complete", result: { answers: answers as unknown as JsonObject } }),
    listen: (want, _caller, on) => {
      listeners.set(want, on);
      return { stop: () => void listeners.delete(want) };
    },
  };
  const tell = (change: Change) => listeners.forEach((on) => on(change));
  return { handler, seen, listeners, tell };
}

const complete = (): Outcome => ({ type: "complete", result: { ok: true } });

function recording() {
  const sent: Message[] = [];
  let ended = false;
  return {
    sent,
    ended: () => ended,
    stream: { send: (message: Message) => void sent.push(message), end: () => void (ended = true) },
  };
}

function legacy(handler: McpRequestHandler) {
  const { sent, stream } = recording();
  const server = new LegacyServer({ handler, caller: front, push: stream });
  let ids = 0;
  const request = async (method: string, params: JsonObject = {}) => {
    const id = ++ids;
    server.receive({ type: "request", message: { jsonrpc: "2.0", id, method, params } }, stream);
    return vi.waitFor(() => {
      const answer = sent.find((message) => !("method" in message) && message.id === id);
      if (!answer) throw new Error(`no answer to ${method}`);
      return answer as { result?: JsonObject; error?: JsonObject };
    });
  };
  return { server, sent, request, stream };
}

const META = "io.modelcontextprotocol/";
const envelope = (capabilities: JsonObject = {}, more: JsonObject = {}) => ({
  _meta: { [`${META}protocolVersion`]: "2026-07-28", [`${META}clientCapabilities`]: capabilities, ...more },
});

function modern(handler: McpRequestHandler) {
  const server = new ModernServer({ handler, caller: front, session: front });
  const request = async (method: string, params: JsonObject = {}, gone?: AbortSignal) => {
    const { sent, stream, ended } = recording();
    const message = { jsonrpc: "2.0", id: method, method, params: { ...envelope(), ...params } } as const;
    await server.receive(message, stream, gone && ((listener) => gone.addEventListener("abort", listener)));
    return { sent, ended, answer: sent.at(-1) as { result?: JsonObject; error?: JsonObject } };
  };
  return { server, request };
}

const OPS: [string, JsonObject][] = [
  ["tools/list", { cursor: "c" }],
  ["tools/call", { name: "t", arguments: { a: 1 } }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "a:b" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "p", arguments: { a: "1" } }],
  ["completion/complete", { ref: { type: "ref/resource", uri: "a:{b}" }, argument: { name: "b", value: "x" } }],
];

describe("capabilities that the handler offers", () => {
  it.each(OPS)("%s is served in both eras", async (method, params) => {
    const { handler, seen } = handling(complete);
    expect((await legacy(handler).request(method, params)).result).toEqual({ ok: true });
    expect((await modern(handler).request(method, params)).answer.result).toMatchObject({
      ok: true,
      resultType: "complete",
    });
    expect(seen.map(({ op }) => op)).toEqual([
      { method, params },
      { method, params },
    ]);
  });

  it("tasks are served in the form of each era", async () => {
    const { handler, seen } = handling(complete);
    const update = { taskId: "t", inputResponses: { q: {} } };
    expect((await modern(handler).request("tasks/update", update)).answer.result).toMatchObject({ ok: true });
    expect(seen[0]?.op).toEqual({ method: "tasks/update", params: update });
    const { answer } = await modern(handler).request("tasks/result", { taskId: "t" });
    expect(answer.error).toMatchObject({ code: -32601 });
    expect((await legacy(handler).request("tasks/update", update)).error).toMatchObject({ code: -32601 });
    expect((await legacy(handler).request("tasks/get", { taskId: "t" })).error).toBeUndefined();
    expect(seen[1]?.op).toEqual({ method: "tasks/get", params: { taskId: "t" } });
  });

  it("all capabilities are declared in the format of each era", async () => {
    const { handler } = handling(complete);
    const capabilities = {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    };
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    expect((await legacy(handler).request("initialize")).result).toMatchObject({
      capabilities: { ...capabilities, tasks },
    });
    const older = (await legacy(handler).request("initialize", { protocolVersion: "2025-06-18" })).result;
    expect(older).toMatchObject({ capabilities });
    expect(older).not.toHaveProperty("capabilities.tasks");
    const discovered = (await modern(handler).request("server/discover")).answer.result;
    expect(discovered).toMatchObject({ capabilities: { ...capabilities, extensions: { [`${META}tasks`]: {} } } });
  });
});

describe("capabilities that the handler does not offer", () => {
  const missing = [...OPS.slice(2), ["logging/setLevel", { level: "info" }], ["resources/subscribe", { uri: "a:b" }]];
  it.each(missing as [string, JsonObject][])("%s is rejected as an unknown method", async (method, params) => {
    const { handler, seen } = handling(complete, NONE);
    expect((await legacy(handler).request(method, params)).error).toMatchObject({ code: -32601 });
    expect((await modern(handler).request(method, params)).answer.error).toMatchObject({ code: -32601 });
    expect(seen).toEqual([]);
  });
});

describe("invalid params", () => {
  it.each<[string, JsonObject]>([
    ["tools/list", { cursor: 1 }],
    ["tools/call", { name: "t", arguments: [] }],
    ["resources/read", {}],
    ["prompts/get", { name: "p", arguments: { a: 1 } }],
    ["prompts/get", {}],
    ["completion/complete", { ref: { type: "ref/tool", name: "t" }, argument: { name: "b", value: "x" } }],
    ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "b" } }],
    ["tasks/get", {}],
    ["tasks/update", { taskId: "t" }],
  ])("are rejected for %s with the params %j", async (method, params) => {
    const { handler, seen } = handling(complete);
    expect((await modern(handler).request(method, params)).answer.error).toMatchObject({ code: -32602 });
    expect(seen).toEqual([]);
  });
});

describe("LegacyServer", () => {
  it("subscribes a resource until the client unsubscribes or disconnects", async () => {
    const { handler, listeners, tell } = handling(complete);
    const { server, sent, request } = legacy(handler);
    await request("resources/subscribe", { uri: "a:1" });
    await request("resources/subscribe", { uri: "a:1" });
    expect([...listeners.keys()]).toEqual([{ uris: ["a:1"] }]);
    tell({ type: "resource", uri: "a:1" });
    expect(sent.at(-1)).toEqual({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "a:1" } });
    await request("resources/unsubscribe", { uri: "a:1" });
    expect(listeners.size).toBe(0);
    await request("resources/subscribe", { uri: "a:2" });
    server.close();
    expect(listeners.size).toBe(0);
  });

  it("sends log entries of the requested level on the stream of their call", async () => {
    const { handler } = handling((_, { logLevel, onLog }) => {
      onLog?.({ level: "error", data: `wanted: ${logLevel}` });
      return complete();
    });
    const { sent, request } = legacy(handler);
    await request("tools/call", { name: "t" });
    expect(sent.filter((message) => "method" in message)).toEqual([]);
    expect((await request("logging/setLevel", { level: "loud" })).error).toMatchObject({ code: -32602 });
    await request("logging/setLevel", { level: "notice" });
    await request("tools/call", { name: "t" });
    expect(sent.filter((message) => "method" in message)).toEqual([
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: "wanted: notice" } },
    ]);
  });

  it("keeps the request open until a task ends", async () => {
    const task: Outcome = {
      type: "task",
      task: { taskId: "t" },
      follow: async () => complete(),
      cancel: async () => {},
    };
    const { handler, seen } = handling(() => task);
    expect((await legacy(handler).request("tools/call", { name: "t" })).result).toEqual({ ok: true });
    expect(seen[0]?.ctx.tasks).toBe(false);
  });

  it("forwards sampling only to a client that supports it", async () => {
    const answers: unknown[] = [];
    const { handler } = handling(() => ({
      type: "asks",
      asks: { s: { type: "sampling", rawParams: { messages: [] } } },
      obsolete: new AbortController().signal,
      resume: async (given) => {
        answers.push(given);
        return complete();
      },
      abandon: () => {},
    }));
    const without = legacy(handler);
    await without.request("initialize", { capabilities: {} });
    await without.request("tools/call", { name: "t" });
    const { server, sent, request, stream } = legacy(handler);
    await request("initialize", { capabilities: { sampling: {} } });
    const running = request("tools/call", { name: "t" });
    const asked = await vi.waitFor(() => {
      const found = sent.find((message) => "method" in message && message.method === "sampling/createMessage");
      if (!found || !("id" in found)) throw new Error("not asked yet");
      return found as { id: string };
    });
    const said = { role: "assistant", model: "m", content: { type: "text", text: "hi" } };
    server.receive({ type: "result", message: { jsonrpc: "2.0", id: asked.id, result: said } }, stream);
    await running;
    expect(answers).toEqual([{ s: { action: "unsupported" } }, { s: { action: "sampled", result: said } }]);
  });
});

describe("ModernServer", () => {
  it("sends notifications only for the parts of a subscription that it offers", async () => {
    const { handler, tell, listeners } = handling(complete, {
      ...ALL,
      listChanged: { ...ALL.listChanged, prompts: false },
    });
    const { server } = modern(handler);
    const { sent, stream, ended } = recording();
    const gone = new AbortController();
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ["a:1"],
      taskIds: ["t"],
    };
    const params = { ...envelope(), notifications };
    const listening = server.receive(
      { jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params },
      stream,
      (listener) => gone.signal.addEventListener("abort", listener),
    );
    const meta = { [`${META}subscriptionId`]: 7 };
    expect(sent[0]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ["a:1"], taskIds: ["t"] },
        _meta: meta,
      },
    });
    tell({ type: "resource", uri: "a:1" });
    expect(sent[1]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: "a:1", _meta: meta },
    });
    gone.abort();
    await listening;
    expect(listeners.size).toBe(0);
    expect(ended()).toBe(true);
  });

  it.each(["accept", "reject", "ignore"] as const)(
    "acknowledges a subscription, before it sends any change, when the servers %s it",
    async (reaction) => {
      const { handler, tell } = handling(complete);
      const clock = new ManualClock();
      const accepted = new Deferred();
      const listen: McpRequestHandler["listen"] = (...args) => ({
        ...handler.listen(...args),
        established: accepted.promise,
      });
      const server = new ModernServer({ handler: { ...handler, listen }, caller: front, session: front, clock });
      const { sent, stream } = recording();
      const params = { ...envelope(), notifications: { resourceSubscriptions: ["a:1"] } };
      const listening = server.receive({ jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params }, stream);
      clock.advance(4999);
      tell({ type: "resource", uri: "a:1" });
      await Promise.resolve();
      expect(sent).toEqual([]);
      if (reaction === "accept") accepted.resolve();
      if (reaction === "reject") accepted.reject(new Error("refused"));
      if (reaction === "ignore") clock.advance(1);
      const [acknowledged, updated] = ["notifications/subscriptions/acknowledged", "notifications/resources/updated"];
      await vi.waitFor(() => expect(sent).toMatchObject([{ method: acknowledged }, { method: updated }]));
      server.close();
      await listening;
    },
  );

  it("reads capabilities and log level from each request", async () => {
    const { handler, seen } = handling((_, { onLog }) => {
      onLog?.({ level: "info", data: "here" });
      return complete();
    });
    const { request } = modern(handler);
    const capabilities = { sampling: {}, elicitation: { url: {} }, extensions: { [`${META}tasks`]: {} } };
    const params = { name: "t", ...envelope(capabilities, { [`${META}logLevel`]: "info" }) };
    const { sent } = await request("tools/call", params);
    expect(seen[0]?.ctx).toMatchObject({
      sampling: true,
      tasks: true,
      elicitation: { form: false, url: true },
      logLevel: "info",
    });
    expect(sent[0]).toMatchObject({ method: "notifications/message", params: { level: "info", data: "here" } });
    await request("tools/call", { name: "t" });
    expect(seen[1]?.ctx.onLog).toBeUndefined();
  });

  it("marks lists and resources as private to the client", async () => {
    const { handler } = handling(complete);
    const { request } = modern(handler);
    for (const method of ["tools/list", "resources/list", "prompts/list"]) {
      expect((await request(method)).answer.result).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    }
    expect((await request("prompts/get", { name: "p" })).answer.result).not.toHaveProperty("ttlMs");
  });

  it("sends a sampling request as input_required", async () => {
    const { handler } = handling(() => ({
      type: "asks",
      asks: { s: { type: "sampling", rawParams: { messages: [] } } },
      obsolete: new AbortController().signal,
      resume: async () => complete(),
      abandon: () => {},
    }));
    const { request } = modern(handler);
    expect((await request("tools/call", { name: "t" })).answer.result).toMatchObject({
      resultType: "input_required",
      inputRequests: { s: { method: "sampling/createMessage", params: { messages: [] } } },
      requestState: "kept",
    });
    const said = { role: "assistant", model: "m", content: [] };
    const resumed = await request("tools/call", { name: "t", requestState: "kept", inputResponses: { s: said } });
    expect(resumed.answer.result).toMatchObject({ answers: { s: { action: "sampled", result: said } } });
  });
});
