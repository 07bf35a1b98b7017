import { parseToolResult } from "#wire/parse-tool-result.js";
import type { JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

describe("a result comes through whole", { meta: { covers: ["R0.26", "R1.44", "R2.133", "R3.36"] } }, () => {
  it.each<[string, JsonObject]>([
    ["text", { content: [{ type: "text", text: "hi", annotations: { audience: ["user"] } }] }],
    ["content of a type that nobody knows", { content: [{ type: "hologram", layers: [1, 2] }] }],
    ["nothing to say", { content: [] }],
    ["a tool's own error", { content: [{ type: "text", text: "no such file" }], isError: true }],
    ["no error", { content: [], isError: false }],
    ["structured content beside text", { content: [{ type: "text", text: "1" }], structuredContent: { n: 1 } }],
    ["structured content that is null", { content: [], structuredContent: null }],
    ["structured content that is a list", { content: [], structuredContent: [1, "two"] }],
    ["notes of the server", { content: [], _meta: { "example.com/cost": 3 } }],
  ])("with %s", (_, result) => {
    expect(parseToolResult(result)).toStrictEqual(result);
  });
});

it("has no content where the server gave only structure", () => {
  expect(parseToolResult({ structuredContent: { n: 1 } })).toStrictEqual({ content: [], structuredContent: { n: 1 } });
});

it("leaves out what is no part of a tool's result or has the wrong type", () => {
  const result = { content: [], isError: "no", _meta: "x", resultType: "complete", extra: 1 };
  expect(parseToolResult(result)).toStrictEqual({ content: [] });
});

describe("is no result", { meta: { covers: ["R3.77"] } }, () => {
  it.each<[string, JsonObject]>([
    ["with neither content nor structure", { isError: true }],
    ["with content that is no list", { content: "hi" }],
    ["with content that is null", { content: null, structuredContent: {} }],
    ["with a block that is text", { content: ["hi"] }],
    ["with a block without a type", { content: [{ type: "text", text: "a" }, { text: "b" }] }],
    ["with a block whose type is no text", { content: [{ type: 1 }] }],
  ])("%s", (_, result) => {
    expect(parseToolResult(result)).toBeUndefined();
  });
});
