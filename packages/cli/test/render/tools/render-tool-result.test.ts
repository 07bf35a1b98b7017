import { renderToolResult } from "#render/tools/render-tool-result.js";
import type { AnyContent, ContentBlock } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("renderToolResult", () => {
  it.each<[string, AnyContent, string]>([
    ["text", { type: "text", text: "hello" }, "hello\n"],
    ["text with a newline at its end", { type: "text", text: "a\nb\n" }, "a\nb\n"],
    ["empty text", { type: "text", text: "" }, "\n"],
    ["an image", { type: "image", mimeType: "image/png", data: "AAAA" }, "[image, image/png, 3 bytes]\n"],
    ["a sound", { type: "audio", mimeType: "audio/wav", data: "AAAAAAAA" }, "[audio, audio/wav, 6 bytes]\n"],
    ["a link", { type: "resource_link", uri: "file:///a", name: "a" }, "[resource_link, file:///a]\n"],
    [
      "a link with a MIME type",
      { type: "resource_link", uri: "file:///a", name: "a", mimeType: "text/plain" },
      "[resource_link, text/plain, file:///a]\n",
    ],
    ["a resource with text", { type: "resource", resource: { uri: "file:///a", text: "inside" } }, "inside\n"],
    [
      "a resource without text",
      { type: "resource", resource: { uri: "file:///a", blob: "AAAA" } },
      "[resource, 3 bytes, file:///a]\n",
    ],
    ["an unknown type", { type: "hologram", layers: 3 }, "[hologram]\n"],
    ["an invalid text block", { type: "text", text: 7 }, "[text]\n"],
    ["an invalid image", { type: "image", mimeType: 1, data: null }, "[image]\n"],
    ["an invalid resource", { type: "resource", resource: null }, "[resource]\n"],
  ])("renders %s", (_, block, shown) => {
    expect(renderToolResult({ content: [block as ContentBlock] })).toBe(shown);
  });

  it("shows the exact size of data", () => {
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

it("renderToolResult shows each block on its own line", () => {
  const content: AnyContent[] = [{ type: "text", text: "a" }, { type: "text", text: "b\n" }, { type: "hologram" }];
  expect(renderToolResult({ content: content as ContentBlock[] })).toBe("a\nb\n[hologram]\n");
});

it("renderToolResult shows structured content only if there is no other content", () => {
  const structuredContent = { n: [1] };
  expect(renderToolResult({ content: [], structuredContent })).toBe('{\n  "n": [\n    1\n  ]\n}\n');
  expect(renderToolResult({ content: [], structuredContent: null })).toBe("null\n");
  expect(renderToolResult({ content: [{ type: "text", text: "one" }], structuredContent })).toBe("one\n");
});

it("renderToolResult returns an empty string for an empty result", () => {
  expect(renderToolResult({ content: [] })).toBe("");
});
