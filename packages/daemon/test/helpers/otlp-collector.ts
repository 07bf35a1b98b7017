/** An OTLP collector on loopback. Checks each request as a strict collector does, and keeps spans and metrics. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Ajv2020 } from "ajv/dist/2020.js";
import { onTestFinished, vi } from "vitest";

interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code?: number };
}

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

interface CollectedMetric {
  readonly name: string;
  readonly unit: string;
  readonly histogram?: { readonly dataPoints: readonly CollectedPoint[] };
}

interface CollectedPoint {
  readonly attributes: readonly KeyValue[];
  readonly count: string;
  readonly sum: number;
  readonly bucketCounts: readonly string[];
  readonly explicitBounds: readonly number[];
}

/** Protobuf's JSON mapping, as the OTLP specification changes it: ids in hexadecimal, 64-bit integers as strings. */
const hex = (digits: number) => ({ type: "string", pattern: `^[0-9a-f]{${digits}}$` });
const uint64 = { type: "string", pattern: "^\\d+$" };
const object = (properties: object, required: readonly string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object) => ({ type: "array", minItems: 1, items });
const attributes = {
  type: "array",
  items: object({ key: { type: "string" }, value: object({ stringValue: { type: "string" } }, ["stringValue"]) }, [
    "key",
    "value",
  ]),
};
const resource = object({ attributes }, ["attributes"]);
const scope = object({ name: { type: "string" }, version: { type: "string" } }, ["name", "version"]);
const span = object(
  {
    traceId: hex(32),
    spanId: hex(16),
    parentSpanId: hex(16),
    traceState: { type: "string" },
    name: { type: "string", minLength: 1 },
    kind: { enum: [1, 2, 3, 4, 5] },
    startTimeUnixNano: uint64,
    endTimeUnixNano: uint64,
    attributes,
    status: object({ code: { enum: [0, 1, 2] } }, []),
  },
  ["traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"],
);
const time = { startTimeUnixNano: uint64, timeUnixNano: uint64 };
const point = object(
  {
    attributes,
    ...time,
    count: uint64,
    sum: { type: "number" },
    min: { type: "number" },
    max: { type: "number" },
    bucketCounts: list(uint64),
    explicitBounds: list({ type: "number" }),
  },
  ["attributes", "startTimeUnixNano", "timeUnixNano", "count", "sum", "bucketCounts", "explicitBounds"],
);
const temporality = { enum: [1, 2] };
const metric = object(
  {
    name: { type: "string" },
    unit: { type: "string" },
    histogram: object({ aggregationTemporality: temporality, dataPoints: list(point) }, [
      "aggregationTemporality",
      "dataPoints",
    ]),
    sum: object(
      {
        aggregationTemporality: temporality,
        isMonotonic: { type: "boolean" },
        dataPoints: list(object({ attributes, ...time, asInt: uint64 }, ["asInt"])),
      },
      ["aggregationTemporality", "isMonotonic", "dataPoints"],
    ),
  },
  ["name", "unit"],
);
const SCHEMAS: { readonly [path: string]: object } = {
  "/v1/traces": object(
    {
      resourceSpans: list(
        object({ resource, scopeSpans: list(object({ scope, spans: list(span) }, ["scope", "spans"])) }, [
          "resource",
          "scopeSpans",
        ]),
      ),
    },
    ["resourceSpans"],
  ),
  "/v1/metrics": object(
    {
      resourceMetrics: list(
        object({ resource, scopeMetrics: list(object({ scope, metrics: list(metric) }, ["scope", "metrics"])) }, [
          "resource",
          "scopeMetrics",
        ]),
      ),
    },
    ["resourceMetrics"],
  ),
};

interface TraceRequest {
  readonly resourceSpans: readonly { resource: { attributes: KeyValue[] }; scopeSpans: { spans: CollectedSpan[] }[] }[];
}

interface MetricRequest {
  readonly resourceMetrics: readonly { scopeMetrics: { metrics: CollectedMetric[] }[] }[];
}

/** `statusOf` is asked for the status of each request, in the order of their arrival. */
export async function startCollector(statusOf: () => number | Promise<number> = () => 200) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const validators = new Map(Object.entries(SCHEMAS).map(([path, schema]) => [path, ajv.compile(schema)]));
  const spans: CollectedSpan[] = [];
  const resources: { [name: string]: string }[] = [];
  const requests: { readonly path: string; readonly headers: { readonly [name: string]: unknown } }[] = [];
  const problems: unknown[] = [];
  let metrics: readonly CollectedMetric[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const path = request.url!;
      requests.push({ path, headers: request.headers });
      const status = await statusOf();
      if (status !== 200) return response.writeHead(status, { location: "/redirected" }).end();
      const parsed = JSON.parse(body) as TraceRequest & MetricRequest;
      const validate = validators.get(path);
      if (!validate?.(parsed)) {
        problems.push(validate?.errors ?? `no such path: ${path}`);
        return response.writeHead(400).end();
      }
      if (path === "/v1/traces") {
        spans.push(...parsed.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)));
        resources.push(...parsed.resourceSpans.map((one) => toObject(one.resource.attributes)));
      } else metrics = parsed.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
      return response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    requests,
    problems,
    points: (name: string) =>
      metrics
        .filter((one) => one.name === name)
        .flatMap(({ histogram }) => histogram?.dataPoints ?? [])
        .map((one) => ({ ...one, attributes: toObject(one.attributes) })),
    waitForSpans: (count: number) => vi.waitUntil(() => spans.length >= count, { timeout: 10_000 }),
  };
}

export function toObject(attributes: readonly KeyValue[]): { [name: string]: string } {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}
