/**
 * Records spans for the export. Continues the trace of the client, and by default follows its decision whether to
 * record.
 */
import { randomBytes } from "node:crypto";
import type { Clock } from "@plugboard/contracts";
import { endAttributes, formatTraceparent, parseTraceparent, spanAttributes, spanName } from "@plugboard/host/tracing";
import type { Operation, Span, Tracer } from "@plugboard/host/tracing";
import type { FinishedSpan } from "./otlp-payload.ts";
import type { Sampler } from "./otlp-settings.ts";

export interface OtlpTracerOptions {
  readonly sampler: Sampler;
  readonly clock: Clock;
  readonly onFinished: (span: FinishedSpan) => void;
}

/** The parent of a span, in the form of the W3C headers `traceparent` and `tracestate`. */
type TraceContext = NonNullable<Parameters<Tracer["startSpan"]>[1]>;

const SAMPLED = 1;

export class OtlpTracer implements Tracer {
  readonly #options: OtlpTracerOptions;

  constructor(options: OtlpTracerOptions) {
    this.#options = options;
  }

  startSpan(operation: Operation, given?: TraceContext): Span {
    const { sampler, clock, onFinished } = this.#options;
    const parent = given && parseTraceparent(given.traceparent);
    const traceState = parent && given.tracestate;
    const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
    const spanId = randomBytes(8).toString("hex");
    const isSampled =
      sampler.parentBased && parent ? (parent.traceFlags & SAMPLED) === SAMPLED : isWithin(traceId, sampler.ratio);
    const startedAt = clock.now();
    const traceparent = formatTraceparent({ traceId, spanId, traceFlags: isSampled ? SAMPLED : 0 });
    return {
      trace: { traceparent, ...(traceState !== undefined && { tracestate: traceState }) },
      end: (outcome = {}) => {
        if (!isSampled) return;
        onFinished({
          traceId,
          spanId,
          parentSpanId: parent?.spanId,
          traceState,
          name: spanName(operation),
          kind: operation.side,
          startedAt,
          endedAt: clock.now(),
          attributes: { ...spanAttributes(operation), ...endAttributes(outcome) },
          isError: outcome.code !== undefined,
        });
      },
    };
  }
}

/** Compares the last 48 bits of the trace id, so that all parts of a distributed system decide the same. */
function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-12), 16) < ratio * 2 ** 48;
}
