import type { JsonObject } from "@plugboard/contracts";
import { capResult, surelyFits } from "#profiles/cap-result.js";
import type { ResultCap, ResultLimits } from "#profiles/cap-result.js";
import { describe, expect, it, vi } from "vitest";

const URI = "plugboard://output/0123456789abcdef0123456789abcdef";
const text = (content: string) => ({ type: "text", text: content });

function setUp({ maxMediaLength, maxJsonBytes }: Partial<ResultLimits> = {}) {
  const store = vi.fn<ResultCap["store"]>(async (whole) => [{ uri: URI, size: whole.length }]);
  const limits = { maxBytes: 1000, maxMediaLength, maxJsonBytes };
  return {
    store,
    cap: (result: JsonObject) => capResult(result, { ...limits, store }),
    fits: (result: JsonObject) => surelyFits(result, limits),
  };
}

describe("capResult", { meta: { covers: ["R2.167"] } }, () => {
  it("returns a short result unchanged", async () => {
    const { cap, store } = setUp();
    const results = [
      { content: [text("a".repeat(990))], structuredContent: { abc: 1 } },
      { content: [text("a".repeat(1000))] },
    ];
    for (const result of results) expect(await cap(result)).toBe(result);
    expect(store).not.toHaveBeenCalled();
  });

  it("cuts long text, says so, and links to the whole text", async () => {
    const { cap, store } = setUp();
    const whole = `${"a".repeat(600)}\n\n${"b".repeat(600)}`;
    const { content, isError } = await cap({ content: [text("a".repeat(600)), text("b".repeat(600))], isError: true });
    expect(content).toEqual([
      text("a".repeat(600)),
      text("b".repeat(100)),
      text(`[cut: the result has 1202 bytes of text; the whole text is the resource ${URI}]`),
      { type: "resource_link", uri: URI, name: "output", mimeType: "text/plain", size: 1202 },
    ]);
    expect(isError).toBe(true);
    expect(store.mock.calls).toEqual([[whole]]);
  });

  it("cuts short text whose JSON is too long, and keeps an image beside it", async () => {
    const { cap, fits, store } = setUp({ maxMediaLength: 4000, maxJsonBytes: 5500 });
    const image = { type: "image", data: "A".repeat(3500), mimeType: "image/png" };
    const whole = "\u0001".repeat(900);
    const result = { content: [text(whole), image] };
    expect(fits(result)).toBe(false);
    const capped = await cap(result);
    expect(capped["content"]).toEqual([
      text("\u0001".repeat(87)),
      image,
      text(`[cut: the result has 900 bytes of text; the whole text is the resource ${URI}]`),
      expect.objectContaining({ type: "resource_link", uri: URI }),
    ]);
    expect(store.mock.calls).toEqual([[whole]]);
  });

  it("returns only the note and the link if not even an eighth of the text fits as JSON", async () => {
    const { cap } = setUp({ maxJsonBytes: 600 });
    const { content } = await cap({ content: [text("\u0001".repeat(900))] });
    expect(content).toMatchObject([{ text: expect.stringContaining("[cut:") as string }, { type: "resource_link" }]);
  });

  it("leaves out structured content if the JSON is too long and a text repeats it", async () => {
    const { cap, store } = setUp({ maxJsonBytes: 900 });
    const structuredContent = { list: "x".repeat(450) };
    const content = [text(JSON.stringify(structuredContent))];
    expect(await cap({ content, structuredContent })).toEqual({ content });
    expect(store).not.toHaveBeenCalled();
  });

  it("does not count as surely fitting if a short text and an image together may be too long as JSON", () => {
    const { fits } = setUp({ maxMediaLength: 4000, maxJsonBytes: 4200 });
    const image = { type: "image", data: "A".repeat(3900), mimeType: "image/png" };
    expect(fits({ content: [text("a".repeat(50)), image] })).toBe(true);
    expect(fits({ content: [text("a".repeat(51)), image] })).toBe(false);
  });

  it("never cuts within a character", async () => {
    const { cap } = setUp();
    const { content } = await cap({ content: [text(`x${"👩‍👩‍👧".repeat(100)}`)] });
    const [first] = content as { text: string }[];
    expect(first!.text).toMatch(/^x(👩‍👩‍👧)+$/u);
  });

  it("cuts the text of an embedded resource, and keeps images", async () => {
    const { cap } = setUp();
    const image = { type: "image", data: "A".repeat(5000), mimeType: "image/png" };
    const resource = { type: "resource", resource: { uri: "a://b", text: "c".repeat(2000) } };
    const { content } = await cap({ content: [resource, image, text("left out")] });
    expect(content).toMatchObject([
      { type: "resource", resource: { uri: "a://b", text: "c".repeat(700) } },
      image,
      { type: "text", text: expect.stringContaining("[cut:") },
      { type: "resource_link" },
    ]);
  });

  it("leaves out structured content that a text repeats, and adds no note if the text fits", async () => {
    const { cap, store } = setUp();
    const structuredContent = { list: "x".repeat(700) };
    const content = [text(JSON.stringify(structuredContent, undefined, 2))];
    expect(await cap({ content, structuredContent })).toEqual({ content });
    expect(store).not.toHaveBeenCalled();
  });

  it("stores structured content that no text repeats", async () => {
    const { cap, store } = setUp();
    const structuredContent = { list: "x".repeat(2000) };
    const result = await cap({ content: [text("done")], structuredContent });
    expect(result).not.toHaveProperty("structuredContent");
    expect(store.mock.calls).toEqual([[`done\n\n${JSON.stringify(structuredContent)}`]]);
  });

  it("names and links all parts of a long text", async () => {
    const parts = [1, 2, 3].map((part) => ({ uri: `${URI}?part=${part}`, size: part }));
    const result = { content: [text("a".repeat(2000))] };
    const { content } = await capResult(result, { maxBytes: 1000, store: async () => parts });
    const range = `in 3 resources, from ${URI}?part=1 to ${URI}?part=3`;
    const link = { type: "resource_link", mimeType: "text/plain" };
    expect(content).toEqual([
      text("a".repeat(700)),
      text(`[cut: the result has 2000 bytes of text; the whole text is ${range}]`),
      { ...link, ...parts[0], name: "output, part 1 of 3" },
      { ...link, ...parts[1], name: "output, part 2 of 3" },
      { ...link, ...parts[2], name: "output, part 3 of 3" },
    ]);
  });

  it("replaces binary data beyond the limit by a note and links", async () => {
    const { cap, store } = setUp({ maxMediaLength: 100 });
    const small = { type: "image", data: "A".repeat(80), mimeType: "image/png" };
    const large = { type: "audio", data: "B".repeat(120), mimeType: "audio/wav" };
    const embedded = { type: "resource", resource: { uri: "a:b", blob: "C".repeat(400) } };
    const { content } = await cap({ content: [small, large, embedded], structuredContent: {} });
    expect(content).toEqual([
      small,
      text(`[left out: audio/wav of 90 bytes; its data is the resource ${URI}]`),
      { type: "resource_link", uri: URI, name: "output", mimeType: "audio/wav", size: 120 },
      text(`[left out: application/octet-stream of 300 bytes; its data is the resource ${URI}]`),
      { type: "resource_link", uri: URI, name: "output", mimeType: "application/octet-stream", size: 400 },
    ]);
    expect(store.mock.calls).toEqual([
      [large.data, "audio/wav"],
      [embedded.resource.blob, "application/octet-stream"],
    ]);
  });

  it("says in the note if the whole text can't be stored", async () => {
    const store = async () => undefined;
    const { content } = await capResult({ content: [text("a".repeat(2000))] }, { maxBytes: 1000, store });
    expect(content).toMatchObject([{}, text("[cut: the result has 2000 bytes of text; the rest could not be stored]")]);
    expect(content).toHaveLength(2);
  });
});

describe("surelyFits", () => {
  it.each<[string, boolean, JsonObject]>([
    ["a short text", true, { content: [text("a".repeat(160))] }],
    ["a text that may be too long in JSON", false, { content: [text("a".repeat(170))] }],
    ["texts that are long together", false, { content: [text("a".repeat(90)), text("a".repeat(90))] }],
    [
      "a long text of an embedded resource",
      false,
      { content: [{ type: "resource", resource: { text: "a".repeat(170) } }] },
    ],
    ["short structured content", true, { content: [], structuredContent: { a: 1 } }],
    ["long structured content", false, { content: [], structuredContent: { a: "b".repeat(170) } }],
    ["images within the limit", true, { content: [{ type: "image", data: "A".repeat(100) }] }],
    ["images beyond the limit", false, { content: [{ type: "image", data: "A".repeat(101) }] }],
  ])("for %s returns %s", (_, expected, result) => {
    expect(setUp({ maxMediaLength: 100 }).fits(result)).toBe(expected);
  });

  it("returns false for a value that is nested too deep for an estimate", () => {
    let structuredContent: JsonObject = { text: "a".repeat(2_000_000) };
    for (let depth = 0; depth < 250; depth++) structuredContent = { a: structuredContent };
    expect(surelyFits({ content: [], structuredContent }, { maxBytes: 1_000_000 })).toBe(false);
  });

  it("returns false for a value with too many parts for an estimate", () => {
    const structuredContent = { list: Array.from({ length: 100_000 }, () => "x".repeat(100)) };
    expect(surelyFits({ content: [], structuredContent }, { maxBytes: 5_000_000 })).toBe(false);
  });
});
