import { renderJson } from "#terminal/render-json.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

it("renderJson indents and ends with a newline", () => {
  expect(renderJson({ a: [1, null], b: {} })).toBe('{\n  "a": [\n    1,\n    null\n  ],\n  "b": {}\n}\n');
});

describe("renderJson", () => {
  it.each([
    ["an escape sequence", "\x1b[2J", '"\\u001b[2J"\n'],
    ["a C1 control character", "\x9b", '"\\u009b"\n'],
    ["a right-to-left override", "a\u202eb", '"a\\u202eb"\n'],
    ["a tag character, as two surrogates", "\u{e0041}", '"\\udb40\\udc41"\n'],
    ["a lone surrogate", "\ud800", '"\\ud800"\n'],
    ["a hidden character after a backslash", "\\\u200b", '"\\\\\\u200b"\n'],
    ["a hidden character in a key", { "a\u200b": 1 }, '{\n  "a\\u200b": 1\n}\n'],
  ])("escapes %s", (_, value, text) => {
    expect(renderJson(value)).toBe(text);
  });
});

it("renderJson does not escape readable text", () => {
  expect(renderJson("größe 你好 ❤️ 👩🏽‍🚀")).toBe('"größe 你好 ❤️ 👩🏽‍🚀"\n');
});

it("renderJson output parses to the same value and has no control characters", { meta: { covers: ["A7"] } }, () => {
  const hostile = fc.string({
    unit: fc.constantFrom(
      "\\",
      '"',
      "u",
      "\u200b",
      "\u202e",
      "\x1b",
      "\ud800",
      "\udc00",
      "\u{e0041}",
      "😀",
      "\ufe0f",
      "\u200d",
    ),
  });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue({ stringUnit: "binary" }), hostile, fc.dictionary(hostile, hostile)), (value) => {
      const text = renderJson(value);
      // `jsonValue` may be -0, which JSON serializes as 0.
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\u200b\u202e\p{Cs}\u{e0041}]/u);
    }),
  );
});
