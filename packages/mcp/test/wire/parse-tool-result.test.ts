import { parseToolResult } from "#wire/parse-tool-result.js";
import type { JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

describe("parseToolResult", () => {
  describe("valid result", { meta: { covers: ["R0.26", "R1.44", "R2.133", "R3.36"] } }, () => {
    it.each<[string, JsonObject]>([
      ["text", { content: [{ type: "text", text: "hi", annotations: { audience: ["user"] } }] }],
      ["content of an unknown type", { content: [{ type: "hologram", layers: [1, 2] }] }],
      ["no content", { content: [] }],
      ["isError true", { content: [{ type: "text", text: "no such file" }], isError: true }],
      ["isError false", { content: [], isError: false }],
      ["structured content beside text", { content: [{ type: "text", text: "1" }], structuredContent: { n: 1 } }],
      ["structured content that is null", { content: [], structuredContent: null }],
      ["structured content that is a list", { content: [], structuredContent: [1, "two"] }],
      ["_meta", { content: [], _meta: { "example.com/cost": 3 } }],
    ])("is returned unchanged with %s", (_, result) => {
      expect(parseToolResult(result)).toStrictEqual(result);
    });
  });

  it("has empty content if the server sent only structured content", () => {
    expect(parseToolResult({ structuredContent: { n: 1 } })).toStrictEqual({
      content: [],
      structuredContent: { n: 1 },
    });
  });

  it("drops unknown fields and fields of the wrong type", () => {
    const result = { content: [], isError: "no", _meta: "x", resultType: "complete", extra: 1 };
    expect(parseToolResult(result)).toStrictEqual({ content: [] });
  });

  describe("invalid result", { meta: { covers: ["R3.77"] } }, () => {
    it.each<[string, JsonObject]>([
      ["with neither content nor structured content", { isError: true }],
      ["with content that is no array", { content: "hi" }],
      ["with content that is null", { content: null, structuredContent: {} }],
      ["with a content block that is a string", { content: ["hi"] }],
      ["with a content block without a type", { content: [{ type: "text", text: "a" }, { text: "b" }] }],
      ["with a content block whose type is no string", { content: [{ type: 1 }] }],
    ])("returns undefined for a result %s", (_, result) => {
      expect(parseToolResult(result)).toBeUndefined();
    });
  });
});
