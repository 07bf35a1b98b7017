/** Tests the parser of event streams. */
import { describe, expect, it } from "vitest";
import { readEvents } from "#http/read-events.js";

async function parse(...chunks: readonly (string | Uint8Array)[]): Promise<unknown[]> {
  async function* body() {
    for (const chunk of chunks) yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
  }
  const events: unknown[] = [];
  for await (const event of readEvents(body())) events.push(event);
  return events;
}

describe("readEvents", () => {
  it("yields the data of each event", async () => {
    expect(await parse('data: {"a":1}\n\ndata: {"a":2}\n\n')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("joins an event that arrives in several chunks, even if a chunk ends inside a character", async () => {
    const bytes = new TextEncoder().encode('data: {"name":"Zoë"}\n\n');
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(await parse(bytes.slice(0, cut), bytes.slice(cut))).toEqual([{ name: "Zoë" }]);
    }
  });

  it("ignores comments and an incomplete event at the end", async () => {
    expect(await parse(': ping\n\ndata: {"a":1}\n\ndata: {"a":')).toEqual([{ a: 1 }]);
  });
});
