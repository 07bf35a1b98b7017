import type { JsonObject } from "@plugboard/contracts";
import { capResult } from "#profiles/cap-result.js";
import { describe, expect, it, vi } from "vitest";

const URI = "plugboard://output/0123456789abcdef0123456789abcdef";
const text = (content: string) => ({ type: "text", text: content });

function setUp(uri: string | undefined = URI) {
  const store = vi.fn<(text: string) => Promise<string | undefined>>(async () => uri);
  return { store, cap: (result: JsonObject) => capResult(result, { maxBytes: 1000, store }) };
}

describe("capResult", { meta: { covers: ["R2.167"] } }, () => {
  it("returns a short result unchanged", () => {
    const { cap, store } = setUp();
    const results = [
      { content: [text("a".repeat(990))], structuredContent: { abc: 1 } },
      { content: [text("a".repeat(1000))] },
    ];
    for (const result of results) expect(cap(result)).toBe(result);
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

  it("leaves out structured content that the text repeats, without a note if the text fits", async () => {
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

  it("says so if the whole text can't be stored", async () => {
    const store = async () => undefined;
    const { content } = await capResult({ content: [text("a".repeat(2000))] }, { maxBytes: 1000, store });
    expect(content).toMatchObject([{}, text("[cut: the result has 2000 bytes of text; the rest could not be stored]")]);
    expect(content).toHaveLength(2);
  });
});
