/** Tests the JSON of spans and metrics against the encoding that OTLP prescribes. */
import { VERSION } from "@plugboard/host";
import { expect, it } from "vitest";
import { toMetricsPayload, toTracePayload } from "#otlp/otlp-payload.js";
import type { FinishedSpan } from "#otlp/otlp-payload.js";

const resource = { "service.name": "desk" };
const encodedResource = { attributes: [{ key: "service.name", value: { stringValue: "desk" } }] };
const scope = { name: "plugboard", version: VERSION };

it("encodes a span with its parent, state and error, and leaves out missing parts", () => {
  const span: FinishedSpan = {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    parentSpanId: undefined,
    traceState: undefined,
    name: "tools/list",
    kind: "server",
    startedAt: 1_700_000_000_000.25,
    endedAt: 1_700_000_000_001,
    attributes: { "mcp.method.name": "tools/list" },
    isError: false,
  };
  const failed = { parentSpanId: "00f067aa0ba902b7", traceState: "a=1", kind: "client", isError: true } as const;
  const encoded = {
    traceId: span.traceId,
    spanId: span.spanId,
    name: "tools/list",
    kind: 2,
    startTimeUnixNano: "1700000000000250000",
    endTimeUnixNano: "1700000000001000000",
    attributes: [{ key: "mcp.method.name", value: { stringValue: "tools/list" } }],
    status: {},
  };
  const { parentSpanId, traceState } = failed;
  const encodedFailure = { ...encoded, parentSpanId, traceState, kind: 3, status: { code: 2 } };
  expect(toTracePayload([span, { ...span, ...failed }], resource)).toEqual({
    resourceSpans: [{ resource: encodedResource, scopeSpans: [{ scope, spans: [encoded, encodedFailure] }] }],
  });
});

it("encodes durations as histograms and the restarts of each server as a cumulative sum", () => {
  const point = { attributes: {}, count: 3, sum: 1.5, min: 0.1, max: 1, buckets: [2, 1] };
  const metrics = {
    since: 1000,
    servers: [{ server: "s", restarts: 2 }, { restarts: 1 }],
    durations: [
      { name: "mcp.client.operation.duration", bounds: [0.5], points: [point] },
      { name: "mcp.server.operation.duration", bounds: [0.5], points: [] },
    ],
  } as unknown as Parameters<typeof toMetricsPayload>[0];
  const time = { startTimeUnixNano: "1000000000", timeUnixNano: "2000000000" };
  const histogram = { count: "3", sum: 1.5, min: 0.1, max: 1, bucketCounts: ["2", "1"], explicitBounds: [0.5] };
  const ofServer = [{ key: "plugboard.server", value: { stringValue: "s" } }];
  expect(toMetricsPayload(metrics, { resource, now: 2000 })).toEqual({
    resourceMetrics: [
      {
        resource: encodedResource,
        scopeMetrics: [
          {
            scope,
            metrics: [
              {
                name: "mcp.client.operation.duration",
                unit: "s",
                histogram: { aggregationTemporality: 2, dataPoints: [{ attributes: [], ...time, ...histogram }] },
              },
              {
                name: "plugboard.server.restarts",
                unit: "{restart}",
                sum: {
                  aggregationTemporality: 2,
                  isMonotonic: true,
                  dataPoints: [
                    { attributes: ofServer, ...time, asInt: "2" },
                    { attributes: [], ...time, asInt: "1" },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  });
  const none = toMetricsPayload({ ...metrics, servers: [], durations: [] }, { resource, now: 2000 });
  expect(none).toMatchObject({ resourceMetrics: [{ scopeMetrics: [{ metrics: [] }] }] });
});
