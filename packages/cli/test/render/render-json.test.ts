import { renderJson } from "#render/render-json.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

it("is indented and ends its line", () => {
  expect(renderJson({ a: [1, null], b: {} })).toBe('{\n  "a": [\n    1,\n    null\n  ],\n  "b": {}\n}\n');
});

describe("hidden characters are written as escapes", () => {
  it.each([
    ["an escape sequence", "\x1b[2J", '"\\u001b[2J"\n'],
    ["a control of the C1 set", "\x9b", '"\\u009b"\n'],
    ["text turned round", "a\u202eb", '"a\\u202eb"\n'],
    ["a tag character, in halves", "\u{e0041}", '"\\udb40\\udc41"\n'],
    ["a lone surrogate", "\ud800", '"\\ud800"\n'],
    ["after a backslash", "\\\u200b", '"\\\\\\u200b"\n'],
    ["in a key", { "a\u200b": 1 }, '{\n  "a\\u200b": 1\n}\n'],
  ])("%s", (_, value, text) => {
    expect(renderJson(value)).toBe(text);
  });
});

it("leaves readable text readable", () => {
  expect(renderJson("größe 你好 ❤️ 👩🏽‍🚀")).toBe('"größe 你好 ❤️ 👩🏽‍🚀"\n');
});

it("gives any value back, and never acts on a terminal", { meta: { covers: ["A7"] } }, () => {
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
      // `jsonValue` has -0, which JSON writes as 0.
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\u200b\u202e\p{Cs}\u{e0041}]/u);
    }),
  );
});
