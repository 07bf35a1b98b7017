/** Tests what the exporter leaves behind when it is closed. */
import { OtlpExporter } from "#otlp/otlp-exporter.js";
import { readOtlpSettings } from "#otlp/otlp-settings.js";
import { expect, it } from "vitest";
import { ManualClock } from "../../../mcp/test/helpers/manual-clock.ts";
import { startCollector } from "../helpers/otlp-collector.ts";

it("OtlpExporter sends the metrics a last time when it is closed, and not after it", async () => {
  const collector = await startCollector();
  const clock = new ManualClock();
  const settings = readOtlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })!;
  const metrics = () => ({ since: 0, servers: [], outcomes: [], questions: { asked: 0, answered: 0 }, durations: [] });
  const exporter = new OtlpExporter({ settings, metrics, clock, onFailed: () => {} });
  expect(clock.pendingTimers).toBe(1);
  await exporter.close();
  expect(collector.requests).toHaveLength(1);
  expect(clock.pendingTimers).toBe(0);
});
