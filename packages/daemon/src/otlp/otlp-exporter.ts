/**
 * Sends spans and metrics to an OpenTelemetry collector, as OTLP over HTTP in its JSON encoding. Data that can't be
 * sent is dropped, so calls never wait for the collector.
 */
import type { JsonObject, Metrics, Clock } from "@plugboard/contracts";
import { toMetricsPayload, toTracePayload } from "./otlp-payload.ts";
import type { FinishedSpan } from "./otlp-payload.ts";
import type { OtlpSettings, OtlpTarget } from "./otlp-settings.ts";
import { OtlpTracer } from "./otlp-tracer.ts";

export interface OtlpExporterOptions {
  readonly settings: OtlpSettings;
  readonly metrics: () => Metrics;
  readonly clock: Clock;
  /** Called with the reason of a failure, unless the export before it has failed, too. */
  readonly onFailed: (reason: string) => void;
}

/** The limits that OpenTelemetry's batch processor has by default. */
const MAX_QUEUED_SPANS = 2048;
const MAX_BATCH = 512;

export class OtlpExporter {
  /** Undefined if spans are not exported. */
  readonly tracer: OtlpTracer | undefined;
  readonly #options: OtlpExporterOptions;
  readonly #spans: FinishedSpan[] = [];
  #cancelSpans: (() => void) | undefined;
  #cancelMetrics = () => {};
  #sending: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
    const { settings, clock, onFailed } = options;
    if (settings.problem !== undefined) onFailed(settings.problem);
    if (settings.traces) {
      this.tracer = new OtlpTracer({ sampler: settings.sampler, clock, onFinished: (span) => this.#queue(span) });
    }
    if (settings.metrics) this.#scheduleMetrics();
  }

  /** Sends what is left. Resolves also if that fails. */
  async close(): Promise<void> {
    this.#cancelMetrics();
    this.#sendSpans();
    this.#sendMetrics();
    await this.#sending;
  }

  #queue(span: FinishedSpan): void {
    if (this.#spans.length >= MAX_QUEUED_SPANS) return;
    this.#spans.push(span);
    const { clock, settings } = this.#options;
    if (this.#spans.length % MAX_BATCH === 0) this.#sendSpans();
    else this.#cancelSpans ??= clock.after(settings.spanDelayMs, () => this.#sendSpans(), { background: true });
  }

  /** Spans stay in the queue until all earlier requests have ended. The length of the queue is limited. */
  #sendSpans(): void {
    this.#cancelSpans?.();
    this.#cancelSpans = undefined;
    const { traces, resource } = this.#options.settings;
    if (!traces) return;
    this.#send(traces, () => {
      const spans = this.#spans.splice(0, MAX_BATCH);
      return spans.length > 0 ? toTracePayload(spans, resource) : undefined;
    });
  }

  #scheduleMetrics(): void {
    const { clock, settings } = this.#options;
    const run = () => {
      this.#sendMetrics();
      this.#scheduleMetrics();
    };
    this.#cancelMetrics = clock.after(settings.metricIntervalMs, run, { background: true });
  }

  #sendMetrics(): void {
    const { settings, metrics, clock } = this.#options;
    if (!settings.metrics) return;
    const payload = toMetricsPayload(metrics(), { resource: settings.resource, now: clock.now() });
    this.#send(settings.metrics, () => payload);
  }

  /** Sends the request when all earlier ones have ended. `makePayload` runs then, and may return nothing to send. */
  #send(target: OtlpTarget, makePayload: () => JsonObject | undefined): void {
    this.#sending = this.#sending.then(() => {
      const payload = makePayload();
      return payload && this.#post(target, payload);
    });
  }

  async #post({ url, headers, timeoutMs }: OtlpTarget, payload: JsonObject): Promise<void> {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(payload),
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`it answered with status ${response.status}`);
      this.#hasFailed = false;
    } catch (error) {
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      this.#options.onFailed(`telemetry can't be sent to ${new URL(url).origin}: ${(error as Error).message}`);
    }
  }
}
