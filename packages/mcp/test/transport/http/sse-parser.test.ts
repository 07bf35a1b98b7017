import { SseParser } from "#transport/http/sse-parser.js";
import type { SseEvent } from "#transport/http/sse-parser.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutBytes } from "../../helpers/cut-bytes.ts";

const message = (data: string): SseEvent => ({ event: "message", data });
const id = (id: string): SseEvent => ({ ...message(""), id });

describe("an event stream", () => {
  it.each<[string, string, SseEvent[]]>([
    ["one event", "data: a\n\n", [message("a")]],
    ["an event with a name", "event: endpoint\ndata: /x\n\n", [{ event: "endpoint", data: "/x" }]],
    ["a name that is not inherited", "event: e\ndata: 1\n\ndata: 2\n\n", [{ event: "e", data: "1" }, message("2")]],
    ["a name without data is no event", "event: e\n\ndata: 1\n\n", [message("1")]],
    ["data in several lines", "data: a\ndata:b\ndata\n\n", [message("a\nb\n")]],
    ["one space after the colon is no data, a second is", "data:  a\n\n", [message(" a")]],
    ["colons in data", 'data: {"a":1}\n\n', [message('{"a":1}')]],
    ["empty data is an event", "data:\n\n", [message("")]],
    ["comments and unknown fields say nothing", ": ping\nfoo\nbar: 1\ndata: a\n\n", [message("a")]],
    ["an id, which is not inherited", "id: 7\ndata: a\n\ndata: b\n\n", [{ ...message("a"), id: "7" }, message("b")]],
    ["an id without data", "id: 7\n\nid:8\ndata:\n\n", [id("7"), id("8")]],
    ["an empty id", "id\ndata: a\n\n", [{ ...message("a"), id: "" }]],
    ["an id that can't be one", "id: 1\0\ndata: a\n\n", [message("a")]],
    ["the last id of two", "id: 1\nid: 2\n\n", [id("2")]],
    ["when to come back", "retry: 10\n\n", [{ ...message(""), retryMs: 10 }]],
    ["no time is no time", "retry: soon\nretry: -1\nretry: 1.5\nretry:\n\ndata: a\n\n", [message("a")]],
    ["fields are not guessed", "Data: a\n data: b\ndatax: c\n\n", []],
    ["blank lines are no events", "\n\n\ndata: a\n\n\n", [message("a")]],
    ["lines that end in CRLF", "data: a\r\ndata: b\r\n\r\n", [message("a\nb")]],
    ["lines that end in CR", "data: a\rdata: b\r\r:", [message("a\nb")]],
    ["ends of lines mixed", "data: a\r\ndata: b\rdata: c\n\r\n", [message("a\nb\nc")]],
    ["what has not ended is no event", "data: a\n", []],
    ["a byte-order mark later, which is part of a name", "data: a\n\n\ufeffdata: b\n\n", [message("a")]],
    ["a byte-order mark before it", "\ufeffdata: a\n\n", [message("a")]],
  ])("%s", (_, text, events) => {
    expect(parse([Buffer.from(text)]).events).toEqual(events);
  });

  it("that ends its lines in CR is not kept waiting for what comes next", () => {
    expect(parse([Buffer.from("data: a\r\r")]).events).toEqual([message("a")]);
  });

  it("gives the same events however the bytes are cut, also within a character or an end of line", () => {
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
        // What ends it settles whether a last CR was half of CRLF.
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
])("an event over the limit is refused that comes %s", (_, chunksOf) => {
  it.each([
    ["in one line", `data: ${"x".repeat(500)}\n\n`],
    ["in many lines", `${"data: xxxxx\n".repeat(100)}\n`],
    ["in many lines without a letter", `${"data\n".repeat(500)}\n`],
    ["in a line that does not end", "x".repeat(500)],
    ["after one that was in order", `data: ok\n\ndata: ${"x".repeat(500)}\n\n`],
  ])("%s", (__, text) => {
    const { events, fits } = parse(chunksOf(Buffer.from(text)), 100);
    expect(fits).toBe(false);
    expect(events.filter(({ data }) => data !== "ok")).toEqual([]);
  });

  it("but not one of many that are each within it", () => {
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

/** The algorithm of the HTML standard, on a text that is there as a whole. */
function reference(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  let data = "";
  let event = "";
  let more: { id?: string; retryMs?: number } = {};
  for (const line of text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .slice(0, -1)) {
    if (line === "") {
      const said = data !== "" || Object.keys(more).length > 0;
      if (said) events.push({ event: event || "message", data: data.slice(0, -1), ...more });
      [data, event, more] = ["", "", {}];
    } else {
      const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
      if (field === "data") data += `${value}\n`;
      if (field === "event") event = value;
      if (field === "id") more = { ...more, id: value };
      if (field === "retry" && /^[0-9]+$/.test(value)) more = { ...more, retryMs: Number(value) };
    }
  }
  return events;
}
