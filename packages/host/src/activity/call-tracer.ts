/**
 * Creates an OpenTelemetry span for every request if the program has registered a tracer. Follows the semantic
 * conventions for MCP. A span contains neither arguments nor results. The server gets the W3C trace context, but no
 * baggage.
 */
import type { TraceContext } from "@plugboard/mcp";
import { VERSION } from "../lib/version.ts";
import { endAttributes, spanAttributes, spanName } from "./operation.ts";
import type { Attributes, Operation, Span, Tracer } from "./operation.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";
import type { TraceParent } from "./traceparent.ts";

/** The part of `@opentelemetry/api` that is used here. Declared here, so that programs without that package compile. */
interface OpenTelemetryApi {
  readonly trace: {
    getTracer(name: string, version: string): ApiTracer;
    setSpanContext(context: unknown, spanContext: TraceParent & { readonly isRemote: boolean }): unknown;
  };
  readonly context: { active(): unknown };
  readonly SpanKind: { readonly CLIENT: number; readonly SERVER: number };
  readonly SpanStatusCode: { readonly ERROR: number };
  isSpanContextValid(context: SpanContext): boolean;
}

interface ApiTracer {
  startSpan(name: string, options: { kind: number; attributes: { [name: string]: string } }, context: unknown): ApiSpan;
}

interface ApiSpan {
  spanContext(): SpanContext;
  setAttributes(attributes: Attributes): ApiSpan;
  setStatus(status: { code: number }): ApiSpan;
  end(): void;
}

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: { serialize(): string };
}

/** Returns undefined if this package can't find the API, although the program has registered a provider. */
export async function loadCallTracer(): Promise<Tracer | undefined> {
  try {
    return new CallTracer(await import("@opentelemetry/api"));
  } catch (error) {
    // The API package is installed where the program finds it, but not where this package finds it.
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

class CallTracer implements Tracer {
  readonly #api: OpenTelemetryApi;
  readonly #tracer: ApiTracer;

  constructor(api: OpenTelemetryApi) {
    this.#api = api;
    this.#tracer = api.trace.getTracer("plugboard", VERSION);
  }

  startSpan(operation: Operation, parent?: TraceContext): Span {
    const { SpanKind, SpanStatusCode } = this.#api;
    const kind = operation.side === "server" ? SpanKind.SERVER : SpanKind.CLIENT;
    const attributes = spanAttributes(operation);
    const span = this.#tracer.startSpan(spanName(operation), { kind, attributes }, this.#parentContext(parent));
    return {
      trace: this.#traceContext(span.spanContext()),
      end: (outcome = {}) => {
        span.setAttributes(endAttributes(outcome));
        if (outcome.code !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  /** By default the parent is the active span of the program. */
  #parentContext(parent: TraceContext | undefined): unknown {
    const { trace, context } = this.#api;
    const remote = parent && parseTraceparent(parent.traceparent);
    return remote ? trace.setSpanContext(context.active(), { ...remote, isRemote: true }) : context.active();
  }

  #traceContext(context: SpanContext): TraceContext | undefined {
    if (!this.#api.isSpanContextValid(context)) return undefined;
    const { traceId, spanId, traceFlags } = context;
    const traceparent = formatTraceparent({ traceId, spanId, traceFlags });
    const tracestate = context.traceState?.serialize();
    return { traceparent, ...(tracestate && { tracestate }) };
  }
}
