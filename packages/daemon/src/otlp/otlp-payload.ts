/** Converts spans and metrics to the JSON encoding of OTLP. Pure. */
import type { DurationMetric, JsonObject, Metrics } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import type { Attributes } from "@plugboard/host/tracing";

export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  readonly kind: "client" | "server";
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

const SCOPE = { name: "plugboard", version: VERSION };
/** The numbers of the enumerations in the protocol. */
const SPAN_KINDS = { server: 2, client: 3 };
const STATUS_ERROR = 2;
const CUMULATIVE = 2;

export function toTracePayload(spans: readonly FinishedSpan[], resource: Attributes): JsonObject {
  return {
    resourceSpans: [
      { resource: { attributes: toKeyValues(resource) }, scopeSpans: [{ scope: SCOPE, spans: spans.map(toSpan) }] },
    ],
  };
}

export function toMetricsPayload(
  { durations, servers, since }: Metrics,
  { resource, now }: { readonly resource: Attributes; readonly now: number },
): JsonObject {
  const time = { startTimeUnixNano: toNanos(since), timeUnixNano: toNanos(now) };
  const restarts = servers.map(({ server, restarts: count }) => ({
    attributes: toKeyValues(server === undefined ? {} : { "plugboard.server": server }),
    ...time,
    asInt: String(count),
  }));
  const metrics = [
    ...durations.filter(({ points }) => points.length > 0).map((metric) => toHistogram(metric, time)),
    ...(restarts.length > 0
      ? [
          {
            name: "plugboard.server.restarts",
            unit: "{restart}",
            sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: restarts },
          },
        ]
      : []),
  ];
  return {
    resourceMetrics: [{ resource: { attributes: toKeyValues(resource) }, scopeMetrics: [{ scope: SCOPE, metrics }] }],
  };
}

function toSpan(span: FinishedSpan): JsonObject {
  const { traceId, spanId, parentSpanId, traceState, name, kind, startedAt, endedAt, attributes, isError } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(traceState !== undefined && { traceState }),
    name,
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: toNanos(startedAt),
    endTimeUnixNano: toNanos(endedAt),
    attributes: toKeyValues(attributes),
    status: isError ? { code: STATUS_ERROR } : {},
  };
}

function toHistogram({ name, bounds, points }: DurationMetric, time: JsonObject): JsonObject {
  const dataPoints = points.map(({ attributes, count, sum, min, max, buckets }) => ({
    attributes: toKeyValues(attributes),
    ...time,
    count: String(count),
    sum,
    min,
    max,
    bucketCounts: buckets.map(String),
    explicitBounds: [...bounds],
  }));
  return { name, unit: "s", histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
}

function toKeyValues(attributes: Attributes): JsonObject[] {
  return Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** 64-bit integers are strings in this encoding. Rounds to microseconds, which a double represents exactly. */
function toNanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}
