/** Tests which spans are recorded, and the trace context that goes on to servers. */
import { describe, expect, it } from "vitest";
import { OtlpTracer } from "#otlp/otlp-tracer.js";
import type { FinishedSpan } from "#otlp/otlp-payload.js";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const operation = { side: "client", method: "tools/list" } as const;
const parentWith = (traceId: string, flags = "01") => ({ traceparent: `00-${traceId}-b7ad6b7169203331-${flags}` });

function setUp(sampler: { parentBased: boolean; ratio: number }) {
  const finished: FinishedSpan[] = [];
  const tracer = new OtlpTracer({ sampler, clock: new ManualClock(), onFinished: (span) => finished.push(span) });
  return { tracer, finished };
}

describe("OtlpTracer", () => {
  it("passes the trace and its state on", () => {
    const { tracer, finished } = setUp({ parentBased: true, ratio: 1 });
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const span = tracer.startSpan(operation, { ...parentWith(traceId), tracestate: "a=1" });
    expect(span.trace).toEqual({
      traceparent: expect.stringMatching(`^00-${traceId}-[0-9a-f]{16}-01$`) as string,
      tracestate: "a=1",
    });
    span.end();
    expect(finished).toMatchObject([{ traceId, parentSpanId: "b7ad6b7169203331", traceState: "a=1" }]);
    expect(tracer.startSpan(operation).trace).not.toHaveProperty("tracestate");
  });

  it.each([
    ["7fffffffffff", 1],
    ["800000000000", 0],
  ])("compares the last digits of the trace id with the sampling ratio: %s", (digits, recorded) => {
    const { tracer, finished } = setUp({ parentBased: false, ratio: 0.5 });
    const span = tracer.startSpan(operation, parentWith(`0af7651916cd43dd8448${digits}`));
    expect(span.trace?.traceparent).toMatch(new RegExp(`-0${recorded}$`));
    span.end();
    expect(finished).toHaveLength(recorded);
  });

  it("records what the client records, unless the settings say not to follow the client", () => {
    for (const [parentBased, recorded] of [
      [true, 0],
      [false, 1],
    ] as const) {
      const { tracer, finished } = setUp({ parentBased, ratio: 1 });
      tracer.startSpan(operation, parentWith("0af7651916cd43dd8448eb211c80319c", "00")).end();
      expect(finished).toHaveLength(recorded);
    }
  });
});
