/** Tests the lines of calls, which are written without JSON.stringify: they are correct for any names and times. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJournalLine, writeJournalLine } from "#activity/journal-line.js";
import { LineBytes } from "#activity/line-bytes.js";
import type { HostEvent } from "@plugboard/contracts";

type EndedCall = Extract<HostEvent, { type: "call.ended" }>;

const milliseconds = fc.double({ min: 0, max: 1e9, noNaN: true });
const bytes = fc.nat({ max: 2 ** 31 - 1 });
const calls = fc.record({
  seq: fc.nat(),
  at: fc.oneof(fc.nat({ max: 2 ** 45 }), fc.double({ min: 0, max: 1e13, noNaN: true })),
  type: fc.constant("call.ended" as const),
  call: fc.oneof(fc.stringMatching(/^[0-9a-f]{32}$/), fc.string({ unit: "grapheme" })),
  caller: fc.record({ kind: fc.constant("program" as const), id: fc.string() }),
  server: fc.string({ unit: "grapheme" }),
  tool: fc.string({ unit: "grapheme", maxLength: 150 }),
  outcome: fc.constantFrom("complete" as const, "failed" as const),
  durationMs: milliseconds,
  startMs: fc.option(milliseconds, { nil: undefined }),
  queueMs: fc.option(milliseconds, { nil: undefined }),
  questionMs: fc.option(milliseconds, { nil: undefined }),
  retryMs: fc.option(milliseconds, { nil: undefined }),
  isError: fc.constantFrom(true, undefined),
  notSent: fc.constantFrom(true, undefined),
  code: fc.constantFrom("REQUEST_TIMEOUT" as const, undefined),
  argumentBytes: fc.option(bytes, { nil: undefined }),
  resultBytes: fc.option(bytes, { nil: undefined }),
});

describe("the line of a call", () => {
  it("has every field of the call, also if it follows other lines in a batch", () => {
    fc.assert(
      fc.property(fc.array(calls, { minLength: 1, maxLength: 5 }), (events) => {
        const text = new LineBytes();
        for (const event of events) writeJournalLine(event, text);
        const lines = text.bytes.toString().split("\n");
        expect(lines.pop()).toBe("");
        expect(lines.map(parseJournalLine)).toEqual(events.map(expectedEntry));
      }),
      { numRuns: 500 },
    );
  });

  it("rounds times to microseconds, without trailing zeros", () => {
    const text = new LineBytes();
    for (const ms of [0, 0.0004, 0.001, 0.05, 12.3456, 7, 99.9999, 1e9 + 0.25]) {
      text.milliseconds(ms);
      text.text(" ");
    }
    expect(text.bytes.toString()).toBe("0 0 0.001 0.05 12.346 7 100 1000000000.25 ");
  });

  it("is valid JSON even if a clock has returned NaN or Infinity", () => {
    const text = new LineBytes();
    const fields = { at: Number.NaN, durationMs: Number.NaN, queueMs: Infinity, argumentBytes: Number.NaN };
    writeJournalLine(endedCall(fields), text);
    expect(JSON.parse(text.bytes.toString())).toMatchObject({ at: 0, duration_ms: 0, queue_ms: 0, argument_bytes: 0 });
  });

  it("has the name of the client of each caller", () => {
    const text = new LineBytes();
    const [first, second] = ["one", "two"].map((client) => ({ kind: "front", id: client, client }) as const);
    for (const caller of [first!, second!, first!]) writeJournalLine(endedCall({ caller }), text);
    expect(text.bytes.toString().match(/"client":"\w+"/g)).toEqual([
      '"client":"one"',
      '"client":"two"',
      '"client":"one"',
    ]);
  });
});

function endedCall(fields: Partial<EndedCall>): EndedCall {
  return {
    ...{ seq: 1, at: 1, type: "call.ended", call: "a", server: "s", tool: "t", outcome: "complete", durationMs: 1 },
    ...{ caller: { kind: "program", id: "program" } },
    ...fields,
  };
}

function expectedEntry(event: EndedCall): unknown {
  const { seq: _, type: _type, caller, ...rest } = event;
  const round = (ms: number | undefined) => ms && Math.round(ms * 1000) / 1000;
  const { durationMs, startMs, queueMs, questionMs, retryMs } = event;
  const waits = { startMs: round(startMs), queueMs: round(queueMs), questionMs: round(questionMs) };
  const times = { ...waits, durationMs: round(durationMs), retryMs: round(retryMs) };
  const entry = { ...rest, ...times, type: "call", caller: caller.kind };
  return JSON.parse(JSON.stringify(entry));
}
