import { coerceArguments, coerceText } from "#arguments/coerce-arguments.js";
import { parseArgumentWord } from "#arguments/parse-argument-word.js";
import type { Json, JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

/** Converts words such as `a=1` and `b:=[2]`, together with the JSON of --args, by a schema. */
function coerce(words: readonly string[], schema: JsonObject, json: JsonObject = {}): JsonObject {
  const pairs = new Map<string, ({ text: string } | { json: Json })[]>();
  for (const word of words) {
    const { name, format, value } = parseArgumentWord(word);
    const { text } = value as { text: string };
    pairs.set(name, [...(pairs.get(name) ?? []), format === "json" ? { json: JSON.parse(text) as Json } : { text }]);
  }
  return coerceArguments({ json, pairs }, schema);
}

const string = { type: "string" };

describe("coerceText", () => {
  // What is converted, its schema, the typed text, and the resulting value.
  it.each<[string, Json, string, Json]>([
    ["text", { type: "string" }, "42", "42"],
    ["text that looks like JSON", { type: "string" }, '{"a":1}', '{"a":1}'],
    ["text or null", { type: ["string", "null"] }, "null", "null"],
    ["text or null, as Python servers declare it", { anyOf: [{ type: "string" }, { type: "null" }] }, "42", "42"],
    ["a value of an enum", { enum: ["1", "2"] }, "1", "1"],
    ["a value of an enum behind a reference", { $ref: "#/$defs/digit" }, "1", "1"],
    ["a value of an enum behind a reference of pydantic", { allOf: [{ $ref: "#/$defs/digit" }] }, "1", "1"],
    ["empty text", { type: "string" }, "", ""],
    ["a number", { type: "number" }, "4.5", 4.5],
    ["a whole number", { type: "integer" }, "-7", -7],
    ["a boolean", { type: "boolean" }, "false", false],
    ["a too large number to text", { type: "integer" }, "12345678901234567890", "12345678901234567890"],
    ["a number out of range to text", { type: "number" }, "1e400", "1e400"],
    ["a list", { type: "array" }, '["a", 1]', ["a", 1]],
    ["an empty list", { type: "array" }, "[]", []],
    ["the only element of a list", { type: "array", items: string }, "notes.md", ["notes.md"]],
    ["the only element of a list, although it is JSON", { type: "array", items: string }, "42", ["42"]],
    ["the only number of a list", { type: "array", items: { type: "number" } }, "42", [42]],
    [
      "the only element of an optional list",
      { anyOf: [{ type: "array", items: string }, { type: "null" }] },
      "a",
      ["a"],
    ],
    ["null for an optional list", { anyOf: [{ type: "array", items: string }, { type: "null" }] }, "null", null],
    ["text for text or a list", { anyOf: [string, { type: "array", items: string }] }, "a", "a"],
    ["an object", { type: "object" }, '{"a": null}', { a: null }],
    ["a value of one of two types", { type: ["number", "boolean"] }, "true", true],
    ["a value of any type to JSON, if it is JSON", {}, "42", 42],
    ["a value of any type to text, if it is not JSON", {}, "fourty two", "fourty two"],
    ["an empty value of any type to empty text", {}, "", ""],
  ])("converts %s", (_, schema, text, value) => {
    const root = { $defs: { digit: { enum: ["1", "2"] } } };
    expect(coerceText(text, schema as JsonObject, root)).toStrictEqual(value);
  });
});

describe("coerceArguments", () => {
  it("returns an empty object for no arguments", () => {
    expect(coerce([], {})).toEqual({});
  });

  it("accepts names that the schema does not have", () => {
    expect(coerce(["a=b=c", "unknown=1"], { properties: {} })).toEqual({ a: "b=c", unknown: 1 });
  });

  it("keeps JSON as it is", () => {
    expect(coerce(['a:="1"', "b:=1"], { properties: { a: { type: "number" }, b: string } })).toEqual({ a: "1", b: 1 });
  });

  it("lets name=value words add to and replace the values of --args", () => {
    const schema: JsonObject = { properties: { a: string } };
    expect(coerce(["a=2", "b=3"], schema, { a: "1", c: [4] })).toEqual({ a: "2", b: 3, c: [4] });
  });

  it("makes a list from a repeated name", () => {
    const schema: JsonObject = { properties: { a: { type: "array", items: string }, b: { type: "array" } } };
    expect(coerce(["a=1", "b=1", "a=x", "b=x", "b:=[2]"], schema)).toEqual({ a: ["1", "x"], b: [1, "x", [2]] });
  });

  it.each<[string, JsonObject]>([
    ["a string", { properties: { a: string } }],
    ["a value of any type", {}],
  ])("rejects a repeated name if the schema allows only %s", (_, schema) => {
    expect(() => coerce(["a=1", "a=2"], schema)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENTS",
        details: { reason: '"a" is given 2 times and is not a list' },
      }),
    );
  });

  it("accepts any argument name, both in name=value words and in --args", { meta: { covers: ["R3.35"] } }, () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !/=|:$/.test(text));
    const text = fc.string().filter((value) => !value.startsWith("@"));
    fc.assert(
      fc.property(fc.oneof(name, fc.constantFrom("__proto__", "constructor", "toString")), text, (key, value) => {
        const json = Object.fromEntries([[key, value]]);
        const schema: JsonObject = { properties: Object.fromEntries([[key, string]]) };
        expect(JSON.stringify(coerce([`${key}=${value}`], schema))).toBe(JSON.stringify(json));
        expect(JSON.stringify(coerce([], schema, json))).toBe(JSON.stringify(json));
      }),
    );
  });
});
