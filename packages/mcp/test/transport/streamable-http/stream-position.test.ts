import { StreamPosition } from "#transport/streamable-http/stream-position.js";
import { describe, expect, it } from "vitest";

const eventWithId = (id?: string, retryMs?: number) => ({
  event: "message",
  data: "x",
  ...(id !== undefined && { id }),
  ...(retryMs !== undefined && { retryMs }),
});

describe("StreamPosition.lastEventId", () => {
  it.each<[string, string[], string | undefined]>([
    ["is undefined without ids", [], undefined],
    ["is the last id", ["1", "2"], "2"],
    ["is undefined after an empty id", ["1", ""], undefined],
    ["is encoded as bytes for the header", ["é"], "\u00c3\u00a9"],
    ["is undefined after an id that a header can't contain", ["1", "a\u0001b"], undefined],
    ["is undefined after an id that is too long", ["1", "x".repeat(2000)], undefined],
  ])("%s", (_, ids, lastId) => {
    const position = new StreamPosition();
    for (const id of ids) position.advance(eventWithId(id));
    expect(position.lastEventId).toBe(lastId);
  });

  it("is kept after events without an id", () => {
    const position = new StreamPosition();
    position.advance(eventWithId("1", 20));
    position.advance(eventWithId());
    expect(position).toMatchObject({ lastEventId: "1", retryMs: 20 });
  });
});

describe("StreamPosition.advance", { meta: { covers: ["F26"] } }, () => {
  it("returns false for an event of an earlier connection", () => {
    const position = new StreamPosition();
    expect(["1", "2"].map((id) => position.advance(eventWithId(id)))).toEqual([true, true]);
    position.reconnect();
    expect(["1", "2", "3"].map((id) => position.advance(eventWithId(id)))).toEqual([false, false, true]);
    expect(position.lastEventId).toBe("3");
  });

  it("returns true for a repeated id on the same connection", () => {
    const position = new StreamPosition();
    expect(["1", "1"].map((id) => position.advance(eventWithId(id)))).toEqual([true, true]);
  });

  it("returns true for an event without an id", () => {
    const position = new StreamPosition();
    position.advance(eventWithId());
    position.reconnect();
    expect(position.advance(eventWithId())).toBe(true);
  });

  it("remembers a limited number of ids", () => {
    const position = new StreamPosition();
    for (let id = 0; id < 10_000; id++) position.advance(eventWithId(String(id)));
    position.reconnect();
    expect(position.advance(eventWithId("9999"))).toBe(false);
    expect(position.advance(eventWithId("0"))).toBe(true);
  });
});
