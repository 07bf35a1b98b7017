import { renderToolResult } from "#render/render-tool-result.js";
import type { ContentBlock } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("what is text is shown, what isn't is named:", () => {
  it.each<[string, ContentBlock, string]>([
    ["text", { type: "text", text: "hello" }, "hello\n"],
    ["text that ends its line", { type: "text", text: "a\nb\n" }, "a\nb\n"],
    ["empty text", { type: "text", text: "" }, "\n"],
    ["an image", { type: "image", mimeType: "image/png", data: "AAAA" }, "[image, image/png, 3 bytes]\n"],
    ["a sound", { type: "audio", mimeType: "audio/wav", data: "AAAAAAAA" }, "[audio, audio/wav, 6 bytes]\n"],
    ["a link", { type: "resource_link", uri: "file:///a", name: "a" }, "[resource_link, file:///a]\n"],
    [
      "a link that says its type",
      { type: "resource_link", uri: "file:///a", name: "a", mimeType: "text/plain" },
      "[resource_link, text/plain, file:///a]\n",
    ],
    ["a resource with text", { type: "resource", resource: { uri: "file:///a", text: "inside" } }, "inside\n"],
    [
      "a resource without",
      { type: "resource", resource: { uri: "file:///a", blob: "AAAA" } },
      "[resource, file:///a]\n",
    ],
    ["a type that nobody knows", { type: "hologram", layers: 3 }, "[hologram]\n"],
    ["text that is none", { type: "text", text: 7 }, "[text]\n"],
    ["an image that is none", { type: "image", mimeType: 1, data: null }, "[image]\n"],
    ["a resource that is none", { type: "resource", resource: null }, "[resource]\n"],
  ])("%s", (_, block, shown) => {
    expect(renderToolResult({ content: [block] })).toBe(shown);
  });

  it("how long data is, exactly", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const data = Buffer.from(bytes).toString("base64");
        expect(renderToolResult({ content: [{ type: "image", mimeType: "a/b", data }] })).toBe(
          `[image, a/b, ${bytes.length} bytes]\n`,
        );
      }),
    );
  });
});

it("shows blocks one after another, each on a line of its own", () => {
  const content: ContentBlock[] = [{ type: "text", text: "a" }, { type: "text", text: "b\n" }, { type: "hologram" }];
  expect(renderToolResult({ content })).toBe("a\nb\n[hologram]\n");
});

it("shows structure only where there is nothing else", () => {
  const structuredContent = { n: [1] };
  expect(renderToolResult({ content: [], structuredContent })).toBe('{\n  "n": [\n    1\n  ]\n}\n');
  expect(renderToolResult({ content: [], structuredContent: null })).toBe("null\n");
  expect(renderToolResult({ content: [{ type: "text", text: "one" }], structuredContent })).toBe("one\n");
});

it("shows nothing of nothing", () => {
  expect(renderToolResult({ content: [] })).toBe("");
});
