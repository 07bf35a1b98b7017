/**
 * A span of OpenTelemetry for every call, where the program has set that up,
 * after the semantic conventions for MCP. Nothing of what a call is given or
 * gives is in it. The server is told the trace in W3C's form, the only one that
 * the protocol knows, whatever the program uses elsewhere; baggage is the
 * program's own and goes to nobody.
 */
import type { CallerKind } from "@plugboard/contracts";
import type { TraceContext } from "@plugboard/mcp";
import { VERSION } from "../lib/version.ts";

export interface CallSpanInfo {
  readonly method: "tools/call";
  readonly server: string;
  readonly tool: string;
  readonly caller: CallerKind;
}

export interface CallSpan {
  /** For the request; nothing if the program does not trace at the moment. */
  readonly trace: TraceContext | undefined;
  /** `code`: why it failed, or `tool_error` if the tool itself says so. */
  end(outcome?: { readonly code?: string | undefined }): void;
}

/** The used part of `@opentelemetry/api`. Declared here so that our types compile in programs without that package. */
interface OpenTelemetryApi {
  readonly trace: { getTracer(name: string, version: string): Tracer };
  readonly SpanKind: { readonly CLIENT: number };
  readonly SpanStatusCode: { readonly ERROR: number };
  isSpanContextValid(context: SpanContext): boolean;
}

interface Tracer {
  startSpan(name: string, options: { kind: number; attributes: { [name: string]: string } }): Span;
}

interface Span {
  spanContext(): SpanContext;
  setAttribute(name: string, value: string): Span;
  setStatus(status: { code: number }): Span;
  end(): void;
}

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: { serialize(): string };
}

/** Where the API of OpenTelemetry keeps what the program has registered. */
const OTEL_REGISTRY = Symbol.for("opentelemetry.js.api.1");

export class CallTracer {
  readonly #api: OpenTelemetryApi;
  readonly #tracer: Tracer;

  constructor(api: OpenTelemetryApi) {
    this.#api = api;
    this.#tracer = api.trace.getTracer("plugboard", VERSION);
  }

  /** Nothing, and nothing loaded, unless the program has registered a provider of tracers. */
  static async findRegistered(): Promise<CallTracer | undefined> {
    const registered = (globalThis as { [OTEL_REGISTRY]?: { readonly trace?: unknown } })[OTEL_REGISTRY];
    if (!registered?.trace) return undefined;
    try {
      return new CallTracer(await import("@opentelemetry/api"));
    } catch (error) {
      // It is for the program to install; one that keeps it where we can't see it has no spans of ours.
      if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
      throw error;
    }
  }

  startSpan({ method, server, tool, caller }: CallSpanInfo): CallSpan {
    const { SpanKind, SpanStatusCode } = this.#api;
    const attributes = {
      "mcp.method.name": method,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "plugboard.server": server,
      "plugboard.caller": caller,
    };
    // It begins in whatever context the program makes the call in.
    const span = this.#tracer.startSpan(`${method} ${tool}`, { kind: SpanKind.CLIENT, attributes });
    return {
      trace: this.#traceContext(span.spanContext()),
      end: ({ code } = {}) => {
        if (code !== undefined) span.setAttribute("error.type", code).setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  #traceContext(context: SpanContext): TraceContext | undefined {
    if (!this.#api.isSpanContextValid(context)) return undefined;
    const { traceId, spanId, traceFlags } = context;
    const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
    const tracestate = context.traceState?.serialize();
    return { traceparent, ...(tracestate && { tracestate }) };
  }
}
