/** Tests a call from its arguments to its result, including its events, metrics and journal entries. */
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Answer, Caller, HostEvent, JsonObject, Question } from "@plugboard/contracts";
import { createBareHost } from "@plugboard/host/core";
import type { EmbeddedHost } from "@plugboard/host";
import { modernStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { waitForEvent } from "../helpers/embedded-host.ts";
import { makeCall } from "../helpers/make-calls.ts";
import { answerInOrder, makeTestProject, objectSchema, resultText } from "../helpers/test-project.ts";
import type { ServerScript } from "../helpers/test-project.ts";

const MISMATCH = "plugboard/outputSchemaMismatch";
const ALL = { allow: ["*"] };
const text = (content: string) => ({ content: [{ type: "text", text: content }] });

async function opened(says: ServerScript) {
  const place = await makeTestProject();
  const server = await place.scriptedServer("s", says);
  const host = await place.open({ servers: { s: server.entry, other: scriptedLegacy() }, permissions: ALL });
  await host.ready();
  return { place, server, host };
}

describe("tool call", () => {
  describe("arguments", () => {
    const inputSchema = {
      type: "object",
      properties: { path: { type: "string" }, opts: { type: "object", properties: { depth: { type: "integer" } } } },
      required: ["path"],
      additionalProperties: false,
    };

    it(
      "are rejected with all problems and their paths before the request is sent",
      { meta: { covers: ["R0.73", "R0.81", "R0.82"] } },
      async () => {
        const { host, server } = await opened({ tools: [{ name: "list", inputSchema }] });
        const call = host.tools.call("s:list", { opts: { depth: "deep" }, colour: "red" });
        const error = await call.then(
          () => undefined,
          (thrown: { code: string; message: string }) => thrown,
        );
        expect(error).toMatchObject({ code: "INVALID_ARGUMENTS" });
        for (const place of ["path", "opts", "depth", "colour"]) expect(error?.message).toContain(place);
        expect(await server.calls()).toEqual([]);
        await host.tools.call("s:list", { path: "/" });
        expect(await server.calls()).toEqual(['list {"path":"/"}']);
      },
    );

    it("are not sent to a tool that the server does not list", { meta: { covers: ["R0.72"] } }, async () => {
      const { host, server } = await opened({ tools: [{ name: "list", inputSchema }] });
      for (const ref of ["s:missing", "mcp__s__missing", { server: "s", tool: "missing" }]) {
        await expect(host.tools.call(ref, { path: "/" })).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
      }
      expect(await server.calls()).toEqual([]);
    });

    it("are sent unchecked if the schema is invalid", { meta: { covers: ["A9"] } }, async () => {
      const broken = { type: "object", properties: { a: { type: "no such type" } } };
      const elsewhere = { type: "object", properties: { a: { $ref: "http://127.0.0.1:9/schema.json" } } };
      const { host, server } = await opened({
        tools: [
          { name: "broken", inputSchema: broken },
          { name: "elsewhere", inputSchema: elsewhere },
        ],
      });
      await host.tools.call("s:broken", { a: 1 });
      await host.tools.call("s:elsewhere", { a: 1 });
      expect(await server.calls()).toEqual(['broken {"a":1}', 'elsewhere {"a":1}']);
    });

    it("don't delay other calls if the tool has a hostile schema", { meta: { covers: ["A9"] } }, async () => {
      let deep: JsonObject = { type: "string" };
      for (let depth = 0; depth < 1000; depth++) deep = { anyOf: [deep] };
      const bomb = Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => {
          const next = { $ref: `#/$defs/d${index + 1}` };
          return [
            `d${index}`,
            { anyOf: [{ allOf: [next, { type: "number" }] }, { allOf: [next, { type: "boolean" }] }] },
          ];
        }),
      );
      const { host } = await opened({
        tools: [
          { name: "redos", inputSchema: objectSchema({ text: { type: "string", pattern: "^(a+)+$" } }) },
          {
            name: "bomb",
            inputSchema: {
              ...objectSchema({ text: { $ref: "#/$defs/d0" } }),
              $defs: { ...bomb, d40: { type: "string" } },
            },
          },
          { name: "deep", inputSchema: objectSchema({ text: deep }) },
        ],
      });
      expect(host.status()[0]).toMatchObject({ state: "ready", droppedTools: [{ tool: "deep" }] });
      // In the main thread, these checks would block for ever.
      const hostile = [
        host.tools.call("s:redos", { text: `${"a".repeat(60)}!` }),
        host.tools.call("s:bomb", { text: "x" }),
      ].map((call) => call.catch((error: unknown) => error));
      for (let count = 0; count < 20; count++) {
        expect(resultText(await host.tools.call("other:echo", { text: String(count) }))).toBe(String(count));
      }
      // Arguments that can't be checked are left to the server.
      for (const result of await Promise.all(hostile)) expect(result).toMatchObject(text("done"));
    });
  });

  describe("tool result", () => {
    const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const tools = [
      { name: "right", inputSchema: objectSchema(), outputSchema },
      { name: "wrong", inputSchema: objectSchema(), outputSchema },
      { name: "missing", inputSchema: objectSchema(), outputSchema },
      { name: "wordless", inputSchema: objectSchema(), outputSchema },
      { name: "failing", inputSchema: objectSchema(), outputSchema },
      { name: "empty", inputSchema: objectSchema() },
    ];
    const results = {
      right: { ...text("1"), structuredContent: { n: 1 } },
      wrong: { ...text("x"), structuredContent: { n: "x" } },
      missing: text("nothing"),
      wordless: { structuredContent: { n: "x" }, _meta: { mine: 1 } },
      failing: { ...text("it failed"), isError: true },
      empty: { content: "text" },
    };

    const problem = '"n" must be a whole number, but is a string';

    it(
      "loses its structured content and is marked if it does not match its output schema",
      { meta: { covers: ["F57"] } },
      async () => {
        const { host } = await opened({ tools, results });
        expect(await host.tools.call("s:right", {})).toEqual(results.right);
        expect(await host.tools.call("s:wrong", {})).toEqual({ ...text("x"), _meta: { [MISMATCH]: problem } });
        expect(await host.tools.call("s:missing", {})).toEqual({
          ...text("nothing"),
          _meta: { [MISMATCH]: '"structuredContent" is missing, but the tool has an output schema' },
        });
        // The result has no text of its own. So its structured content becomes text, or it would be lost.
        expect(await host.tools.call("s:wordless", {})).toEqual({
          ...text('{"n":"x"}'),
          _meta: { mine: 1, [MISMATCH]: problem },
        });
        expect(await host.tools.call("s:failing", {})).toEqual(results.failing);
        await expect(host.tools.call("s:empty", {})).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE" });
        expect((await ended(host, 6)).map(({ outcome, schemaMismatch }) => [outcome, schemaMismatch])).toEqual([
          ["complete", undefined],
          ["complete", true],
          ["complete", true],
          ["complete", true],
          ["complete", undefined],
          ["failed", undefined],
        ]);
        const { servers } = host.activity.metrics();
        expect(servers.find(({ server }) => server === "s")).toMatchObject({
          calls: 6,
          errors: { UNEXPECTED_RESPONSE: 1 },
        });
      },
    );

    it("fails its call if it does not match its output schema and the server has strict_results", async () => {
      const place = await makeTestProject();
      const { entry } = await place.scriptedServer("s", { tools, results });
      const host = await place.open({ servers: { s: { ...entry, strict_results: true } }, permissions: ALL });
      await host.ready();
      expect(await host.tools.call("s:right", {})).toEqual(results.right);
      await expect(host.tools.call("s:wrong", {})).rejects.toMatchObject({
        code: "UNEXPECTED_RESPONSE",
        message: expect.stringContaining(problem) as string,
      });
      await expect(host.tools.call("s:missing", {})).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE" });
    });

    it(
      "is complete for a program and cut into pages for a model, even if it has 9 MB",
      { meta: { covers: ["F9", "R2.140"] } },
      async () => {
        const whole = Array.from({ length: 9_000_000 / 10 }, (_, index) => String(index).padStart(9, "0")).join("\n");
        const { host, place } = await opened({
          tools: [{ name: "dump", inputSchema: objectSchema() }],
          results: { dump: text(whole) },
        });
        const result = await host.tools.call("s:dump", {});
        expect(resultText(result)).toBe(whole);
        expect(host.tools.list().map(({ tool }) => tool)).not.toContain("read_output");

        const shown = await host.tools.forModel("s:dump", result);
        expect(Buffer.byteLength(shown.text)).toBeLessThanOrEqual(100_000);
        expect(shown).toMatchObject({ source: "s:dump", untrusted: true, cut: { totalBytes: whole.length } });
        expect(host.tools.list().map(({ tool }) => tool)).toContain("read_output");

        const { id, shownBytes } = shown.cut as { id: string; shownBytes: number };
        expect(shown.text.startsWith(whole.slice(0, shownBytes))).toBe(true);
        let [read, offset] = [whole.slice(0, shownBytes), shownBytes];
        for (let pages = 0; pages < 3; pages++) {
          const page = resultText(await host.tools.call("read_output", { id, offset }));
          const note = page.lastIndexOf("\n[");
          read += page.slice(0, note);
          offset = Number(/"offset":(\d+)/.exec(page.slice(note))?.[1]);
        }
        expect(read).toBe(whole.slice(0, offset));
        const last = resultText(await host.tools.call("read_output", { id, offset: whole.length - 100 }));
        expect(last.startsWith(`${whole.slice(-100)}\n[`)).toBe(true);
        expect(last).toContain("this is the end");

        await host.close();
        const second = await place.open();
        expect(second.tools.list()).toEqual([]);
        expect(resultText(await second.tools.call("read_output", { id, offset: whole.length - 100 }))).toBe(last);
        await second.tools.toggle("read_output", false);
        await expect(second.tools.call("read_output", { id })).rejects.toMatchObject({ code: "TOOL_OFF" });
      },
    );
  });

  /** Returns the records of the first calls after they have ended. */
  async function ended(host: EmbeddedHost, count: number) {
    const seen: Extract<HostEvent, { type: "call.ended" }>[] = [];
    for await (const event of host.events(0)) {
      if (event.type === "call.ended") seen.push(event);
      if (seen.length === count) return seen;
    }
    throw new Error("the host has closed");
  }

  describe("records of a call", () => {
    it("say how long the call waited for a person: for permission, and for an answer to its server", async () => {
      const place = await makeTestProject();
      const thinkingMs = 120;
      const answer = async (question: Question): Promise<Answer> => {
        await new Promise((resolve) => setTimeout(resolve, thinkingMs));
        if (question.type === "permission") return { type: "permission", decision: "once" };
        return { type: "elicitation", action: "accept", content: { name: "Ann" } };
      };
      const permissions = { allow: ["s:ask_name"] };
      const host = await place.open({ servers: { s: modernStdio() }, permissions, ports: { answer } });
      await host.ready();
      await host.tools.call("s:echo", { text: "hi" });
      await host.tools.call("s:ask_name", {});
      const seen = await ended(host, 2);
      for (const { durationMs, questionMs = 0, queueMs, retryMs } of seen) {
        expect(questionMs).toBeGreaterThanOrEqual(thinkingMs - 5);
        expect(durationMs).toBeGreaterThanOrEqual(questionMs - 2);
        // Times are rounded to whole microseconds, as in the journal and in the statistics.
        for (const ms of [durationMs, questionMs]) expect(Math.round(ms * 1000) / 1000).toBe(ms);
        expect([queueMs, retryMs]).toEqual([undefined, undefined]);
      }
      const { phases } = await host.activity.stats();
      expect(phases.question).toMatchObject({ count: 2 });
      const answers = seen.reduce((sum, { questionMs = 0 }) => sum + questionMs, 0);
      const durations = seen.reduce((sum, { durationMs }) => sum + durationMs, 0);
      expect(Math.abs(phases.server!.sum - (durations - answers))).toBeLessThan(2);
      const journal = await host.activity.recent();
      const times = journal.flatMap((entry) => (entry.type === "call" ? [entry.questionMs] : []));
      expect(times.toReversed()).toEqual(seen.map(({ questionMs = 0 }) => Math.round(questionMs * 1000) / 1000));
    });

    it("have no latency if the call was not sent, and count the server's start separately", async () => {
      const place = await makeTestProject();
      const exits = { command: process.execPath, args: ["-e", "process.exit(1)"] };
      const host = await place.open({
        servers: { missing: { command: "/does/not/exist" }, exits, s: modernStdio() },
        permissions: { allow: ["*"], deny: ["s:fail"] },
      });
      // This call comes first, so that it waits for the server, which starts with the host.
      await host.tools.call("s:echo", { text: "hi" });
      await expect(host.tools.call("missing:echo", {})).rejects.toMatchObject({ code: "SERVER_SPAWN_FAILED" });
      await expect(host.tools.call("exits:echo", {})).rejects.toThrow();
      await expect(host.tools.call("s:fail", {})).rejects.toMatchObject({ code: "TOOL_DENIED" });
      await expect(host.tools.call("s:echo", { text: 1 })).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
      const seen = await ended(host, 5);
      expect(seen.map(({ notSent }) => notSent)).toEqual([undefined, true, true, true, true]);
      const { startMs = 0, durationMs } = seen[0]!;
      expect(startMs).toBeGreaterThan(0);
      expect(startMs).toBeLessThan(durationMs);
      const { phases } = await host.activity.stats();
      expect(phases.server!.count).toBe(1);
      expect(phases.server!.sum).toBeCloseTo(durationMs - startMs, 0);
      expect(phases.start!.count).toBe(3);
      const { durations } = host.activity.metrics();
      const calls = durations
        .find(({ name }) => name === "mcp.client.operation.duration")!
        .points.filter(({ attributes }) => attributes["mcp.method.name"] === "tools/call");
      expect(calls.map(({ count }) => count)).toEqual([1]);
      const journal = await host.activity.recent();
      const notSent = journal.flatMap((entry) => (entry.type === "call" ? [entry.notSent] : []));
      expect(notSent.toReversed()).toEqual([undefined, true, true, true, true]);
    });

    it(
      "have one start and one end in events, metrics and journal, but no arguments or results",
      { meta: { covers: ["R2.30"] } },
      async () => {
        const place = await makeTestProject();
        const { port } = answerInOrder({ type: "elicitation", action: "accept", content: { name: "Ann" } });
        const host = await place.open({
          servers: { s: modernStdio(), old: scriptedLegacy() },
          permissions: { allow: ["*"], deny: ["old:env"] },
          ports: { answer: port },
        });
        await host.ready();
        await host.tools.call("s:echo", { text: "canary" });
        await host.tools.call("s:fail", {});
        await expect(host.tools.call("s:throw", {})).rejects.toThrow();
        expect(resultText(await host.tools.call("s:ask_name", {}))).toContain("Ann");
        await expect(host.tools.call("old:env", {})).rejects.toThrow();
        await expect(host.tools.call("old:hold", {}, { signal: AbortSignal.abort() })).rejects.toThrow();
        const expected = [
          { tool: "echo", outcome: "complete" },
          { tool: "fail", outcome: "complete", isError: true },
          { tool: "throw", outcome: "failed", code: "TOOL_EXECUTION_FAILED" },
          { tool: "ask_name", outcome: "complete" },
          { tool: "env", outcome: "failed", code: "TOOL_DENIED" },
          { tool: "hold", outcome: "failed", code: "CANCELLED" },
        ];
        expect(await ended(host, 6)).toMatchObject(expected);
        const journal = await host.activity.recent();
        expect(journal.filter(({ type }) => type === "call").toReversed()).toMatchObject(expected);
        expect(journal).toContainEqual(expect.objectContaining({ type: "decision", about: "elicitation" }));
        const metrics = host.activity.metrics();
        expect(metrics.servers).toMatchObject([
          { server: "s", calls: 4 },
          { server: "old", calls: 2 },
        ]);
        expect(JSON.stringify([journal, metrics])).not.toMatch(/canary|Ann/);
        await host.close();
        const events: HostEvent[] = [];
        for await (const event of host.events(0)) events.push(event);
        const started = events.flatMap((event) => (event.type === "call.started" ? [event.call] : []));
        const over = events.flatMap((event) => (event.type === "call.ended" ? [event.call] : []));
        expect(over.toSorted()).toEqual(started.toSorted());
      },
    );

    it("have one start and one end even if a second request continues the call after a question", async () => {
      const place = await makeTestProject();
      const host = await createBareHost({ env: place.env });
      onTestFinished(() => host.close());
      const workspace = await host.open({ cwd: place.project, servers: { s: modernStdio() } });
      const caller: Caller = { kind: "front", id: "f" };
      const by = { impliesPermission: true, clientElicitation: true };
      const events: HostEvent[] = [];
      void (async () => {
        for await (const event of host.events.events(0)) events.push(event);
      })();

      const asked = await workspace.calls.request(makeCall("s:ask_name", {}, caller, by));
      if (asked.type !== "asks" || !asked.portable) throw new Error(`it did not ask: ${asked.type}`);
      const answers = { who: { action: "accept", content: { name: "Ann" } } } as const;
      const over = await workspace.calls.request(
        makeCall("s:ask_name", {}, caller, { ...by, resumed: { ...asked.portable, answers } }),
      );
      expect(over).toMatchObject({
        type: "complete",
        result: { content: [{ text: expect.stringContaining("Ann") as string }] },
      });

      const left = await workspace.calls.request(makeCall("s:ask_name", {}, caller, by));
      expect(left.type).toBe("asks");
      await host.close();
      const calls = events.filter(({ type }) => type.startsWith("call."));
      expect(calls).toMatchObject([
        { type: "call.started" },
        { type: "call.ended", outcome: "complete" },
        { type: "call.started" },
        { type: "call.ended", outcome: "failed", code: "CANCELLED" },
      ]);
      expect(new Set(calls.map((event) => "call" in event && event.call)).size).toBe(2);
      expect(host.metrics.snapshot().servers).toMatchObject([{ server: "s", calls: 2 }]);
    });

    it("include a child span of the program's span, and the server gets the trace context", async () => {
      const exporter = new InMemorySpanExporter();
      trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
      onTestFinished(() => (trace.disable(), context.disable()));
      const { host } = await opened({
        tools: [{ name: "go", inputSchema: objectSchema() }],
        results: { go: { ...text("no"), isError: true } },
      });
      await trace.getTracer("program").startActiveSpan("parent", async (parent) => {
        await host.tools.call("s:go", { secret: "canary" });
        await host.tools.call("other:no_such", {}).catch(() => {});
        parent.end();
      });
      const spans = exporter.getFinishedSpans();
      const span = spans.find(({ name }) => name === "tools/call go");
      const parent = spans.find(({ name }) => name === "parent");
      expect(span).toMatchObject({
        attributes: { "gen_ai.tool.name": "go", "plugboard.server": "s", "error.type": "tool_error" },
        parentSpanContext: { spanId: parent?.spanContext().spanId },
      });
      expect(JSON.stringify(spans.map(({ attributes, events, name }) => [attributes, events, name]))).not.toContain(
        "canary",
      );
    });
  });

  describe("native tool", { meta: { covers: ["R4.6", "R4.7", "R2.31"] } }, () => {
    const count = { name: "count", description: "Counts", inputSchema: objectSchema({ to: { type: "integer" } }) };

    it(
      "is listed from registration until it is unregistered",
      { meta: { covers: ["R4.6", "R4.7", "R2.31", "R4.2", "R4.18", "R4.22"] } },
      async () => {
        const place = await makeTestProject();
        const host = await place.open({ servers: { s: scriptedLegacy() }, permissions: ALL });
        await host.ready();
        const remove = host.tools.register({
          ...count,
          run: ({ to }) => ({ content: [{ type: "text", text: `to ${JSON.stringify(to)}` }] }),
        });
        const origins = () => host.tools.list().map(({ name, origin }) => `${origin} ${name}`);
        expect(origins()).toContain("native count");
        expect(origins()).toContain("mcp mcp__s__echo");
        expect(resultText(await host.tools.call("count", { to: 3 }))).toBe("to 3");
        expect(resultText(await host.tools.call("native:count", { to: 4 }))).toBe("to 4");
        expect(resultText(await host.tools.call("mcp__s__echo", { text: "hi" }))).toBe("hi");
        await expect(host.tools.call("count", { to: "x" })).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
        expect(() => host.tools.register({ ...count, run: vi.fn() })).toThrow(
          expect.objectContaining({ code: "NAME_TAKEN" }),
        );
        remove();
        remove();
        expect(origins()).not.toContain("native count");
        await expect(host.tools.call("count", {})).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
        host.tools.register({ ...count, run: () => ({ content: [{ type: "text", text: "again" }] }) });
        remove();
        expect(resultText(await host.tools.call("count", {}))).toBe("again");
      },
    );

    it("obeys the permission rules", { meta: { covers: ["R4.6", "R4.7", "R2.31", "R2.2"] } }, async () => {
      const place = await makeTestProject();
      const { port, asked } = answerInOrder(
        { type: "permission", decision: "no" },
        { type: "permission", decision: "always" },
      );
      const host = await place.open({
        permissions: { ask: ["native:count"], deny: ["native:wipe"] },
        ports: { answer: port },
      });
      const run = vi.fn(() => ({ content: [] }));
      host.tools.register({ ...count, run });
      host.tools.register({ ...count, name: "wipe", run });
      expect(host.tools.list().map(({ name }) => name)).toEqual(["count"]);
      await expect(host.tools.call("count", {})).rejects.toMatchObject({ code: "TOOL_DENIED" });
      await expect(host.tools.call("wipe", {})).rejects.toMatchObject({ code: "TOOL_DENIED" });
      expect(run).not.toHaveBeenCalled();
      await host.tools.call("count", {});
      await host.tools.call("count", {});
      expect(asked).toMatchObject([
        { server: "native", tool: "count" },
        { tool: "count", description: "Counts" },
      ]);
    });

    it("fails with NATIVE_TOOL_FAILED if it throws or returns no content, and with CANCELLED if it is cancelled", async () => {
      const place = await makeTestProject();
      const host = await place.open();
      const broken = (name: string, run: () => unknown) => host.tools.register({ ...count, name, run: run as never });
      broken("throws", () => {
        throw new Error("no disk");
      });
      broken("rejects", () => Promise.reject(new Error("no net")));
      broken("gives_nothing", () => undefined);
      broken("gives_text", () => "text");
      broken("hangs", () => new Promise(() => {}));
      await expect(host.tools.call("throws", {})).rejects.toMatchObject({
        code: "NATIVE_TOOL_FAILED",
        details: { tool: "throws", reason: "no disk" },
      });
      await expect(host.tools.call("rejects", {})).rejects.toMatchObject({ code: "NATIVE_TOOL_FAILED" });
      await expect(host.tools.call("gives_nothing", {})).rejects.toMatchObject({ code: "NATIVE_TOOL_FAILED" });
      await expect(host.tools.call("gives_text", {})).rejects.toMatchObject({ code: "NATIVE_TOOL_FAILED" });
      const abort = new AbortController();
      const hanging = host.tools.call("hangs", {}, { signal: abort.signal });
      await waitForEvent(host, "call.started", ({ tool }) => tool === "hangs");
      abort.abort();
      await expect(hanging).rejects.toMatchObject({ code: "CANCELLED" });
      expect((await ended(host, 5)).map(({ code }) => code)).toEqual([
        ...Array<string>(4).fill("NATIVE_TOOL_FAILED"),
        "CANCELLED",
      ]);
    });
  });

  it("a call that becomes a task is followed to its end and recorded as one call", async () => {
    const place = await makeTestProject();
    const host = await place.open({
      servers: { s: { transport: "sdk", name: "tasks", instance: taskServer() } },
      permissions: ALL,
    });
    await host.ready();
    expect(resultText(await host.tools.call("s:long", {}))).toBe("at last");
    expect(await ended(host, 1)).toMatchObject([{ tool: "long", outcome: "complete" }]);
    expect(host.activity.metrics().servers).toMatchObject([{ server: "s", calls: 1 }]);
  });
});

/** A minimal modern server. Each call becomes a task that has ended at the first poll. */
function taskServer() {
  const task = { taskId: "t1", pollIntervalMs: 1 };
  const methods: { readonly [method: string]: object } = {
    "server/discover": {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
      serverInfo: { name: "tasks", version: "1" },
    },
    "tools/list": { tools: [{ name: "long", inputSchema: objectSchema() }] },
    "tools/call": { ...task, resultType: "task", status: "working" },
    "tasks/get": { ...task, status: "completed", result: text("at last") },
  };
  interface Wire {
    onmessage?: (message: { id?: number; method: string }) => void;
    start(): Promise<void>;
    send(message: object): Promise<void>;
  }
  return {
    async connect(wire: Wire): Promise<void> {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDKs has no other way.
      wire.onmessage = ({ id, method }) => {
        if (id === undefined) return;
        const known = methods[method];
        const answer = known
          ? { result: { resultType: "complete", ...known } }
          : { error: { code: -32601, message: "no" } };
        void wire.send({ jsonrpc: "2.0", id, ...answer });
      };
      await wire.start();
    },
  };
}
