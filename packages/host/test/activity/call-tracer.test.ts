/** Tests the spans of calls with the OpenTelemetry SDK, and with official servers that return the trace context. */
import { McpServer as LegacyServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as ModernServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import {
  context,
  createTraceState,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { Sampler } from "@opentelemetry/sdk-trace-base";
import { VERSION } from "#lib/version.js";
import { Connection, serveInProcess } from "@plugboard/mcp";
import { systemClock } from "@plugboard/contracts";
import { Processes } from "@plugboard/mcp/process";
import type { CallContext, Outcome, ServerObject } from "@plugboard/mcp";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeTelemetry } from "../helpers/make-telemetry.ts";

const CALL = { side: "client", method: "tools/call", server: "s", tool: "meta", caller: "chat" } as const;

async function findTracer() {
  const telemetry = makeTelemetry();
  await telemetry.findTracer();
  return telemetry.tracer;
}

function setUp(sampler: Sampler = new AlwaysOnSampler()) {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ sampler, spanProcessors }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(() => (trace.disable(), context.disable()));
  return { program: trace.getTracer("program"), spans: () => exporter.getFinishedSpans() };
}

describe("CallTracer", () => {
  describe("without a registered tracer", () => {
    it("finds no tracer and loads nothing", async () => {
      vi.doMock("@opentelemetry/api", () => {
        throw new Error("nobody wants it");
      });
      onTestFinished(() => vi.doUnmock("@opentelemetry/api"));
      expect(await findTracer()).toBeUndefined();
    });

    it("finds no tracer if the OpenTelemetry API is used without a provider", async () => {
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
      onTestFinished(() => context.disable());
      expect(await findTracer()).toBeUndefined();
    });
  });

  describe("span", () => {
    it("follows the OpenTelemetry conventions, as a child of the program's active span", async () => {
      const { program, spans } = setUp();
      const tracing = (await findTracer())!;
      await program.startActiveSpan("parent", async (parent) => {
        // Starts the span in a later microtask, where the active span must still be known.
        await Promise.resolve();
        tracing.startSpan(CALL).end();
        parent.end();
      });
      const [span, parent] = spans();
      expect(span).toMatchObject({
        name: "tools/call meta",
        kind: SpanKind.CLIENT,
        status: { code: SpanStatusCode.UNSET },
        instrumentationScope: { name: "plugboard", version: VERSION },
        parentSpanContext: parent!.spanContext(),
      });
      expect(span!.attributes).toEqual({
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "meta",
        "plugboard.server": "s",
        "plugboard.caller": "chat",
      });
    });

    it.each(["REQUEST_TIMEOUT", "tool_error"])("has the error type %s, but no error message", async (code) => {
      const { spans } = setUp();
      (await findTracer())!.startSpan(CALL).end({ code });
      expect(spans()).toMatchObject([{ attributes: { "error.type": code }, status: { code: SpanStatusCode.ERROR } }]);
      expect(spans()[0]).toMatchObject({ events: [], status: { code: SpanStatusCode.ERROR } });
      expect(spans()[0]!.status).not.toHaveProperty("message");
    });

    it("has no trace context if the tracer records nothing", async () => {
      trace.setGlobalTracerProvider(new ProxyTracerProvider());
      onTestFinished(() => trace.disable());
      const span = (await findTracer())!.startSpan(CALL);
      expect(span.trace).toBeUndefined();
      span.end({ code: "CANCELLED" });
    });

    it("is marked as not sampled in the trace context if the tracer does not sample it", async () => {
      const { spans } = setUp(new AlwaysOffSampler());
      const span = (await findTracer())!.startSpan(CALL);
      span.end();
      expect(span.trace?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      expect(spans()).toEqual([]);
    });
  });

  describe("trace context sent to the server", () => {
    it.each<[string, () => ServerObject]>([
      ["legacy", legacy],
      ["modern", modern],
    ])("is the W3C context of the call's span (%s server)", async (_, server) => {
      const { program, spans } = setUp();
      const tracing = (await findTracer())!;
      const tracestate = createTraceState("vendor=1");
      const remote = {
        traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
        spanId: "00f067aa0ba902b7",
        traceFlags: 1,
        traceState: tracestate,
      };
      const above = trace.setSpanContext(ROOT_CONTEXT, remote);
      const received = await context.with(above, () =>
        program.startActiveSpan("parent", async (parent) => {
          const span = tracing.startSpan(CALL);
          const meta = await metaSeenBy(server(), span.trace);
          span.end();
          parent.end();
          return meta;
        }),
      );
      const [span] = spans();
      const { traceId, spanId } = span!.spanContext();
      expect(traceId).toBe(remote.traceId);
      expect(received).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01`, tracestate: "vendor=1" });
      expect(received).not.toHaveProperty("baggage");
    });
  });
});

async function metaSeenBy(server: ServerObject, trace: CallContext["trace"]): Promise<unknown> {
  const processes = new Processes(systemClock);
  const connection = new Connection({
    server: "s",
    target: { transport: "in-process", id: "s", connect: () => serveInProcess(server) },
    processes,
    clock: systemClock,
    identity: { name: "test", version: "0" },
    startupTimeoutMs: 10_000,
    requestTimeoutMs: 10_000,
    eraStore: { get: () => undefined, set: () => {} },
    onUnattributedRequest: () => Promise.reject(new Error("nobody asks")),
    onChanged: () => {},
  });
  const ctx = { caller: { kind: "chat", id: "x" }, timeoutMs: 10_000, maxMs: 10_000, elicitation: false } as const;
  const op = { method: "tools/call", params: { name: "meta", arguments: {} } } as const;
  const outcome = await connection.request(op, { ...ctx, trace });
  await connection.stop();
  return JSON.parse(textOf(outcome));
}

function textOf(outcome: Outcome): string {
  const [block] = outcome.type === "complete" ? (outcome.result["content"] as { text: string }[]) : [];
  return block!.text;
}

const textResult = (meta: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(meta) }] });

function legacy(): ServerObject {
  const server = new LegacyServer({ name: "legacy", version: "1.0.0" });
  server.registerTool("meta", {}, ({ _meta }) => textResult(_meta));
  return server;
}

function modern(): ServerObject {
  const make = () => {
    const server = new ModernServer({ name: "modern", version: "1.0.0" });
    server.registerTool("meta", {}, ({ mcpReq }) => textResult(mcpReq._meta));
    return server;
  };
  return { connect: (transport) => Promise.resolve(void serveStdio(make, { transport })) };
}
