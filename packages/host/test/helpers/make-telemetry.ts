/** Makes a telemetry without a tracer, for tests that do not look at it. */
import { DurationMetrics } from "#activity/duration-metrics.js";
import { Telemetry } from "#activity/telemetry.js";

export function makeTelemetry(): Telemetry {
  const durations = new DurationMetrics();
  return new Telemetry({ durations: () => durations, monotonicNow: () => 0 });
}
