/** Exports the spans and metrics of a host if the `OTEL_*` variables of the environment ask for it. */
import type { Env, Clock } from "@plugboard/contracts";
import type { Host } from "@plugboard/host/core";
import { OtlpExporter } from "./otlp-exporter.ts";
import { readOtlpSettings } from "./otlp-settings.ts";

export function startOtlpExport(
  host: Host,
  { env, clock }: { readonly env: Env; readonly clock: Clock },
): OtlpExporter | undefined {
  const settings = readOtlpSettings(env);
  if (!settings) return undefined;
  const exporter = new OtlpExporter({
    settings,
    clock,
    metrics: () => host.metrics.snapshot(),
    onFailed: (reason) => host.events.emit({ type: "telemetry.failed", reason }),
  });
  host.telemetry.tracer = exporter.tracer;
  return exporter;
}
