/** Tests how the standard `OTEL_*` variables are read. */
import { describe, expect, it } from "vitest";
import { readOtlpSettings } from "#otlp/otlp-settings.js";

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
const endpoint = { [ENDPOINT]: "http://collector:4318/" };

describe("readOtlpSettings", () => {
  it("exports nothing without an endpoint, with an invalid endpoint, or if the export is switched off", () => {
    expect(readOtlpSettings({})).toBeUndefined();
    expect(readOtlpSettings({ [ENDPOINT]: "collector" })).toBeUndefined();
    expect(readOtlpSettings({ ...endpoint, OTEL_SDK_DISABLED: "TRUE" })).toBeUndefined();
    expect(readOtlpSettings({ ...endpoint, OTEL_SDK_DISABLED: "false" })).toBeDefined();
    const none = { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" };
    expect(readOtlpSettings({ ...endpoint, ...none })).toBeUndefined();
  });

  it("sends each signal to its path below the endpoint, with the defaults of OpenTelemetry", () => {
    expect(readOtlpSettings(endpoint)).toEqual({
      traces: { url: "http://collector:4318/v1/traces", headers: {}, timeoutMs: 10_000 },
      metrics: { url: "http://collector:4318/v1/metrics", headers: {}, timeoutMs: 10_000 },
      resource: { "service.name": "plugboard" },
      sampler: { parentBased: true, ratio: 1 },
      metricIntervalMs: 60_000,
      spanDelayMs: 5000,
    });
  });

  it("can send one signal to another endpoint, or not at all", () => {
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces/x" };
    expect(readOtlpSettings(own)).toMatchObject({ traces: { url: "http://traces/x" }, metrics: undefined });
    expect(readOtlpSettings({ ...endpoint, OTEL_METRICS_EXPORTER: "none" })).toMatchObject({
      traces: { url: "http://collector:4318/v1/traces" },
      metrics: undefined,
    });
  });

  it("reads headers and attributes; the headers of a signal override the general ones, and the service name overrides the attribute", () => {
    const settings = readOtlpSettings({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key = a%20b ,x=1,broken, y=%",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x=2",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,env=test",
      OTEL_SERVICE_NAME: "mine",
    });
    expect(settings?.metrics?.headers).toEqual({ "api-key": "a b", x: "1", y: "%" });
    expect(settings?.traces?.headers).toEqual({ "api-key": "a b", x: "2", y: "%" });
    expect(settings?.resource).toEqual({ "service.name": "mine", env: "test" });
  });

  it("reads positive whole numbers, and uses the default for others", () => {
    const names = ["OTEL_METRIC_EXPORT_INTERVAL", "OTEL_BSP_SCHEDULE_DELAY", "OTEL_EXPORTER_OTLP_TIMEOUT"];
    const withAll = (value: string) =>
      readOtlpSettings({ ...endpoint, ...Object.fromEntries(names.map((name) => [name, value])) });
    expect(withAll("7")).toMatchObject({ metricIntervalMs: 7, spanDelayMs: 7, traces: { timeoutMs: 7 } });
    for (const wrong of ["", "0", "-1", "1.5", "soon"]) {
      expect(withAll(wrong)).toMatchObject({
        metricIntervalMs: 60_000,
        spanDelayMs: 5000,
        traces: { timeoutMs: 10_000 },
      });
    }
  });

  it.each([
    ["always_on", undefined, false, 1],
    ["always_off", undefined, false, 0],
    ["parentbased_always_off", undefined, true, 0],
    ["traceidratio", "0.25", false, 0.25],
    ["parentbased_traceidratio", "0", true, 0],
    ["traceidratio", "2", false, 1],
    ["traceidratio", "-1", false, 1],
    ["traceidratio", undefined, false, 1],
    ["other", "0.5", false, 1],
  ])("samples with %s and the argument %s", (sampler, argument, parentBased, ratio) => {
    const env = { ...endpoint, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument };
    expect(readOtlpSettings(env)?.sampler).toEqual({ parentBased, ratio });
  });

  it("exports nothing over gRPC, and says so", () => {
    const settings = readOtlpSettings({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
    expect(settings).toMatchObject({
      traces: undefined,
      metrics: undefined,
      problem: expect.stringContaining("grpc") as string,
    });
    expect(readOtlpSettings({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" })).not.toHaveProperty("problem");
  });
});
