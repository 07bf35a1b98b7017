import { StreamPosition } from "#transport/streamable-http/stream-position.js";
import { describe, expect, it } from "vitest";

const at = (id?: string, retryMs?: number) => ({
  event: "message",
  data: "x",
  ...(id !== undefined && { id }),
  ...(retryMs !== undefined && { retryMs }),
});

describe("where a stream goes on", () => {
  it.each<[string, string[], string | undefined]>([
    ["nowhere, without ids", [], undefined],
    ["after the last id", ["1", "2"], "2"],
    ["nowhere, after an id that takes it back", ["1", ""], undefined],
    ["after an id as its bytes, which a header can carry", ["é"], "\u00c3\u00a9"],
    ["nowhere, after an id that no header can carry", ["1", "a\u0001b"], undefined],
    ["nowhere, after an id beyond measure", ["1", "x".repeat(2000)], undefined],
  ])("%s", (_, ids, lastId) => {
    const position = new StreamPosition();
    for (const id of ids) position.advance(at(id));
    expect(position.lastEventId).toBe(lastId);
  });

  it("is kept over events without an id", () => {
    const position = new StreamPosition();
    position.advance(at("1", 20));
    position.advance(at());
    expect(position).toMatchObject({ lastEventId: "1", retryMs: 20 });
  });
});

describe("an event is not read again", { meta: { covers: ["F26"] } }, () => {
  it("that an earlier connection brought", () => {
    const position = new StreamPosition();
    expect(["1", "2"].map((id) => position.advance(at(id)))).toEqual([true, true]);
    position.reconnect();
    expect(["1", "2", "3"].map((id) => position.advance(at(id)))).toEqual([false, false, true]);
    expect(position.lastEventId).toBe("3");
  });

  it("but for one of the same connection, whose ids may all be the same", () => {
    const position = new StreamPosition();
    expect(["1", "1"].map((id) => position.advance(at(id)))).toEqual([true, true]);
  });

  it("but for one without an id, of which nothing is known", () => {
    const position = new StreamPosition();
    position.advance(at());
    position.reconnect();
    expect(position.advance(at())).toBe(true);
  });

  it("as far as is remembered, which has an end", () => {
    const position = new StreamPosition();
    for (let id = 0; id < 10_000; id++) position.advance(at(String(id)));
    position.reconnect();
    expect(position.advance(at("9999"))).toBe(false);
    expect(position.advance(at("0"))).toBe(true);
  });
});
