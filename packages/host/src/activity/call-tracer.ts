/**
 * Creates an OpenTelemetry span for every call if the program has registered a tracer. Follows the semantic conventions
 * for MCP. A span contains neither arguments nor results. The server gets the W3C trace context, but no baggage.
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
  /** The trace context to send with the request. Undefined if the program does not record this span. */
  readonly trace: TraceContext | undefined;
  /** `code` is the error code of a failed call, or `tool_error` if the tool returned an error. */
  end(outcome?: { readonly code?: string | undefined }): void;
}

/** The part of `@opentelemetry/api` that is used here. Declared here so that our types compile in programs without that package. */
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

/** The global in which the OpenTelemetry API stores the registered providers. */
const OTEL_REGISTRY = Symbol.for("opentelemetry.js.api.1");

export class CallTracer {
  readonly #api: OpenTelemetryApi;
  readonly #tracer: Tracer;

  constructor(api: OpenTelemetryApi) {
    this.#api = api;
    this.#tracer = api.trace.getTracer("plugboard", VERSION);
  }

  /** Returns undefined, and loads nothing, unless the program has registered a tracer provider. */
  static async findRegistered(): Promise<CallTracer | undefined> {
    const registered = (globalThis as { [OTEL_REGISTRY]?: { readonly trace?: unknown } })[OTEL_REGISTRY];
    if (!registered?.trace) return undefined;
    try {
      return new CallTracer(await import("@opentelemetry/api"));
    } catch (error) {
      // The API package is installed where the program finds it, but not where this package finds it.
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
    // The parent is the active span of the program.
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
