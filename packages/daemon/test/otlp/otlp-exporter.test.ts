/** Tests when the exporter sends spans and metrics, which it drops, and which failures it reports. */
import { OtlpExporter } from "#otlp/otlp-exporter.js";
import { readOtlpSettings } from "#otlp/otlp-settings.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { startCollector } from "../helpers/otlp-collector.ts";

const METRICS_ONLY = { OTEL_TRACES_EXPORTER: "none" };
const SPANS_ONLY = { OTEL_METRICS_EXPORTER: "none" };
const MINUTE = 60_000;
const BATCH = 512;

async function setUp(variables: { readonly [name: string]: string }, statusOf?: () => number | Promise<number>) {
  const collector = await startCollector(statusOf);
  const clock = new ManualClock();
  const settings = readOtlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...variables })!;
  const servers = [{ server: "s", restarts: 1 }] as never[];
  const metrics = () => ({ since: 0, servers, outcomes: [], questions: { asked: 0, answered: 0 }, durations: [] });
  const onFailed = vi.fn<(reason: string) => void>();
  const exporter = new OtlpExporter({ settings, metrics, clock, onFailed });
  onTestFinished(() => exporter.close());
  const endSpans = (count: number) => {
    for (let n = 0; n < count; n++) exporter.tracer!.startSpan({ side: "client", method: "tools/list" }).end();
  };
  const untilRequests = (count: number) =>
    vi.waitFor(() => expect(collector.requests).toHaveLength(count), { timeout: 10_000 });
  return { collector, clock, exporter, onFailed, endSpans, untilRequests };
}

describe("OtlpExporter", () => {
  it("sends the metrics at each interval, a last time when it is closed, and not after that", async () => {
    const { collector, clock, exporter, untilRequests } = await setUp(METRICS_ONLY);
    clock.advance(MINUTE - 1);
    expect([clock.pendingTimers, clock.foregroundTimers]).toEqual([1, 0]);
    clock.advance(1);
    await untilRequests(1);
    clock.advance(MINUTE);
    await untilRequests(2);
    await exporter.close();
    expect(clock.pendingTimers).toBe(0);
    expect(collector.requests.map(({ path }) => path)).toEqual(["/v1/metrics", "/v1/metrics", "/v1/metrics"]);
    expect(collector.problems).toEqual([]);
  });

  it("sends the spans of five seconds together", async () => {
    const { collector, clock, endSpans } = await setUp(SPANS_ONLY);
    endSpans(1);
    expect([clock.pendingTimers, clock.foregroundTimers]).toEqual([1, 0]);
    clock.advance(4999);
    endSpans(1);
    clock.advance(1);
    await collector.waitForSpans(2);
    expect(collector.requests).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
    endSpans(1);
    clock.advance(5000);
    await collector.waitForSpans(3);
  });

  it("sends a full batch at once", async () => {
    const { collector, clock, endSpans } = await setUp(SPANS_ONLY);
    endSpans(BATCH);
    await collector.waitForSpans(BATCH);
    expect(collector.requests).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it("sends the spans that are left when it is closed", async () => {
    const { collector, clock, exporter, endSpans } = await setUp(SPANS_ONLY);
    endSpans(1);
    await exporter.close();
    expect(collector.spans).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it("keeps 2048 spans for a collector that does not answer, and drops later ones", async () => {
    let answer = (_status: number) => {};
    const answered = new Promise<number>((resolve) => (answer = resolve));
    const { collector, clock, exporter, endSpans, untilRequests } = await setUp(SPANS_ONLY, () => answered);
    endSpans(1);
    clock.advance(5000);
    await untilRequests(1);
    endSpans(3000);
    answer(200);
    await exporter.close();
    expect(collector.spans).toHaveLength(1 + 2048);
    expect(collector.requests).toHaveLength(1 + 2048 / BATCH);
  });

  it("reports a failure once until the export has worked again, and follows no redirect", async () => {
    const statuses = [500, 302, 200, 503];
    const { collector, clock, exporter, onFailed, untilRequests } = await setUp(
      METRICS_ONLY,
      () => statuses.shift() ?? 200,
    );
    const origin = collector.endpoint;
    for (let count = 1; count <= 4; count++) {
      clock.advance(MINUTE);
      await untilRequests(count);
    }
    await exporter.close();
    expect(onFailed.mock.calls).toEqual([
      [`telemetry can't be sent to ${origin}: it answered with status 500`],
      [`telemetry can't be sent to ${origin}: it answered with status 503`],
    ]);
    expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(["/v1/metrics"]));
  });

  it("closes after the timeout if the collector does not answer", async () => {
    const timeout = { ...METRICS_ONLY, OTEL_EXPORTER_OTLP_TIMEOUT: "50" };
    const { exporter, onFailed } = await setUp(timeout, () => new Promise(() => {}));
    await exporter.close();
    expect(onFailed).toHaveBeenCalledOnce();
  });

  it("reports variables that it can't follow, and sends nothing", async () => {
    const { collector, clock, exporter, onFailed } = await setUp({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
    expect(onFailed.mock.calls).toEqual([[expect.stringContaining("over HTTP only")]]);
    expect(exporter.tracer).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
    await exporter.close();
    expect(collector.requests).toEqual([]);
  });
});
