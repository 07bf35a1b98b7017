import { SseParser } from "#transport/http/sse-parser.js";
import type { SseEvent } from "#transport/http/sse-parser.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutBytes } from "../../helpers/cut-bytes.ts";

const message = (data: string): SseEvent => ({ event: "message", data });
const id = (id: string): SseEvent => ({ ...message(""), id });

describe("SseParser", () => {
  it.each<[string, string, SseEvent[]]>([
    ["reads one event", "data: a\n\n", [message("a")]],
    ["reads an event with a type", "event: endpoint\ndata: /x\n\n", [{ event: "endpoint", data: "/x" }]],
    [
      "does not inherit the type of an event",
      "event: e\ndata: 1\n\ndata: 2\n\n",
      [{ event: "e", data: "1" }, message("2")],
    ],
    ["ignores a type without data", "event: e\n\ndata: 1\n\n", [message("1")]],
    ["joins data lines", "data: a\ndata:b\ndata\n\n", [message("a\nb\n")]],
    ["removes only one space after the colon", "data:  a\n\n", [message(" a")]],
    ["keeps colons in data", 'data: {"a":1}\n\n', [message('{"a":1}')]],
    ["reads an event with empty data", "data:\n\n", [message("")]],
    ["ignores comments and unknown fields", ": ping\nfoo\nbar: 1\ndata: a\n\n", [message("a")]],
    [
      "does not inherit the id of an event",
      "id: 7\ndata: a\n\ndata: b\n\n",
      [{ ...message("a"), id: "7" }, message("b")],
    ],
    ["reads an id without data", "id: 7\n\nid:8\ndata:\n\n", [id("7"), id("8")]],
    ["reads an empty id", "id\ndata: a\n\n", [{ ...message("a"), id: "" }]],
    ["ignores an invalid id", "id: 1\0\ndata: a\n\n", [message("a")]],
    ["uses the last of two ids", "id: 1\nid: 2\n\n", [id("2")]],
    ["reads the retry time", "retry: 10\n\n", [{ ...message(""), retryMs: 10 }]],
    ["ignores an invalid retry time", "retry: soon\nretry: -1\nretry: 1.5\nretry:\n\ndata: a\n\n", [message("a")]],
    ["ignores misspelt fields", "Data: a\n data: b\ndatax: c\n\n", []],
    ["ignores blank lines", "\n\n\ndata: a\n\n\n", [message("a")]],
    ["reads lines that end in CRLF", "data: a\r\ndata: b\r\n\r\n", [message("a\nb")]],
    ["reads lines that end in CR", "data: a\rdata: b\r\r:", [message("a\nb")]],
    ["reads mixed line ends", "data: a\r\ndata: b\rdata: c\n\r\n", [message("a\nb\nc")]],
    ["ignores an incomplete event", "data: a\n", []],
    ["treats a later byte-order mark as part of a field name", "data: a\n\n\ufeffdata: b\n\n", [message("a")]],
    ["removes a leading byte-order mark", "\ufeffdata: a\n\n", [message("a")]],
  ])("follows the HTML standard: it %s", (_, text, events) => {
    expect(parse([Buffer.from(text)]).events).toEqual(events);
  });

  it("emits an event that ends in CR without waiting for the next byte", () => {
    expect(parse([Buffer.from("data: a\r\r")]).events).toEqual([message("a")]);
  });

  it("returns the same events wherever the chunks are split, even within a character or a line end", () => {
    const piece = fc.constantFrom(
      ...[
        "data: ",
        "data:",
        "data",
        "event: e",
        "event",
        ": note",
        "id: 1",
        "id",
        "retry: 7",
        "retry",
        "é",
        "😀",
        "\ufeff",
        "x",
        ":",
        " ",
        "\n",
        "\r",
        "\r\n",
      ],
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat()), (pieces, cuts) => {
        // Only the next byte shows whether a CR at the end is the first half of a CRLF.
        const whole = `${pieces.join("")}.`;
        expect(parse(cutBytes(Buffer.from(whole), cuts)).events).toEqual(reference(whole));
      }),
      { numRuns: 1000 },
    );
  });
});

describe.each([
  ["in one chunk", (bytes: Buffer) => [bytes]],
  ["byte by byte", (bytes: Buffer) => cutBytes(bytes, [...bytes.keys()])],
])("SseParser with data that arrives %s", (_, chunksOf) => {
  it.each([
    ["in one line", `data: ${"x".repeat(500)}\n\n`],
    ["in many lines", `${"data: xxxxx\n".repeat(100)}\n`],
    ["in many lines without data", `${"data\n".repeat(500)}\n`],
    ["in an endless line", "x".repeat(500)],
    ["after a valid event", `data: ok\n\ndata: ${"x".repeat(500)}\n\n`],
  ])("returns false for an event over the limit %s", (__, text) => {
    const { events, fits } = parse(chunksOf(Buffer.from(text)), 100);
    expect(fits).toBe(false);
    expect(events.filter(({ data }) => data !== "ok")).toEqual([]);
  });

  it("accepts many events that are each within the limit", () => {
    const { events, fits } = parse(chunksOf(Buffer.from("data: 1234567890\n\n".repeat(100))), 100);
    expect(fits).toBe(true);
    expect(events).toHaveLength(100);
  });
});

function parse(chunks: readonly Buffer[], limit = 1_000_000): { events: SseEvent[]; fits: boolean } {
  const parser = new SseParser(limit);
  const events: SseEvent[] = [];
  const fits = chunks.every((chunk) => parser.push(chunk, (event) => events.push(event)));
  return { events, fits };
}

/** The algorithm of the HTML standard, for a complete text. */
function reference(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  let data = "";
  let event = "";
  let fields: { id?: string; retryMs?: number } = {};
  for (const line of text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .slice(0, -1)) {
    if (line === "") {
      const isEvent = data !== "" || Object.keys(fields).length > 0;
      if (isEvent) events.push({ event: event || "message", data: data.slice(0, -1), ...fields });
      [data, event, fields] = ["", "", {}];
    } else {
      const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
      if (field === "data") data += `${value}\n`;
      if (field === "event") event = value;
      if (field === "id") fields = { ...fields, id: value };
      if (field === "retry" && /^[0-9]+$/.test(value)) fields = { ...fields, retryMs: Number(value) };
    }
  }
  return events;
}
