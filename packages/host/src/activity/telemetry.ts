/**
 * Follows MCP requests and sessions on both sides of the host. Records their durations, and a span for each request.
 * Tool calls to servers are not recorded here: `call-counter.ts` counts their durations.
 */
import type { JsonObject } from "@plugboard/contracts";
import type { Outcome, TraceContext } from "@plugboard/mcp";
import type { DurationMetrics } from "./duration-metrics.ts";
import { endAttributes, metricAttributes, metricKey } from "./operation.ts";
import type { Operation, OperationEnd, Tracer } from "./operation.ts";

export interface TelemetryOptions {
  /** Returns where durations are recorded. Called for each of them, so that the metrics are made on first use. */
  readonly durations: () => DurationMetrics;
  /** Returns milliseconds, for durations only. */
  readonly monotonicNow: () => number;
}

/** The global in which the OpenTelemetry API stores the registered providers. */
const OTEL_REGISTRY = Symbol.for("opentelemetry.js.api.1");

export interface ActiveOperation {
  /** The trace context to send on. Undefined if no span is recorded. */
  readonly trace: TraceContext | undefined;
  end(outcome: Outcome): void;
}

export class Telemetry {
  /** Records spans, if the program or the environment asks for them. */
  tracer: Tracer | undefined;
  readonly #options: TelemetryOptions;

  constructor(options: TelemetryOptions) {
    this.#options = options;
  }

  /** Uses the tracer of OpenTelemetry if the program has registered one. The code for it is loaded only then. */
  async findTracer(): Promise<void> {
    const registered = (globalThis as { [OTEL_REGISTRY]?: { readonly trace?: unknown } })[OTEL_REGISTRY];
    if (this.tracer || !registered?.trace) return;
    this.tracer = await (await import("./call-tracer.ts")).loadCallTracer();
  }

  /** `parent` is the trace context that came with the request. */
  start(operation: Operation, parent?: TraceContext): ActiveOperation {
    const { durations, monotonicNow } = this.#options;
    const startedAt = monotonicNow();
    const span = this.tracer?.startSpan(operation, parent);
    return {
      trace: span?.trace,
      end: (outcome) => {
        const end = describeEnd(outcome);
        span?.end(end);
        // Models invent names of tools, which must not use up the limit of attribute sets.
        const counted = end.code === "TOOL_NOT_FOUND" ? { ...operation, tool: undefined } : operation;
        durations().record(
          operation.side === "client" ? "mcp.client.operation.duration" : "mcp.server.operation.duration",
          metricKey(counted, end),
          () => ({ ...metricAttributes(counted), ...endAttributes(end) }),
          (monotonicNow() - startedAt) / 1000,
        );
      },
    };
  }

  /** Records a session that has ended. */
  recordSession(
    { side, ...info }: Pick<Operation, "side" | "server" | "revision" | "transport">,
    durationMs: number,
  ): void {
    const session = { side, method: "", ...info };
    const { "mcp.method.name": _, ...attributes } = metricAttributes(session);
    const key = metricKey(session, {});
    this.#options.durations().record(`mcp.${side}.session.duration`, key, () => attributes, durationMs / 1000);
  }
}

/** Reads the trace context in the `_meta` of a request. */
export function traceContextIn(meta: JsonObject | undefined): TraceContext | undefined {
  const { traceparent, tracestate } = meta ?? {};
  if (typeof traceparent !== "string") return undefined;
  return { traceparent, ...(typeof tracestate === "string" && { tracestate }) };
}

const SUCCESS: OperationEnd = {};

export function describeEnd(outcome: Outcome): OperationEnd {
  if (outcome.type === "complete") return outcome.result["isError"] === true ? { code: "tool_error" } : SUCCESS;
  if (outcome.type !== "failed") return {};
  const { code, details } = outcome.error;
  const rpcCode = (details as { readonly code?: unknown }).code;
  return { code, ...(typeof rpcCode === "number" && { rpcCode }) };
}
