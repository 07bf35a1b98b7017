import { coerceArguments, parseRawArguments } from "#arguments/parse-tool-arguments.js";
import type { Json, JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

function parse(pairs: readonly string[], json: string | undefined, schema: JsonObject): JsonObject {
  return coerceArguments(parseRawArguments(pairs, json), schema);
}

describe("a value is read by what the tool wants:", () => {
  it.each<[string, Json, string, Json]>([
    ["text", { type: "string" }, "42", "42"],
    ["text that looks like anything", { type: "string" }, '{"a":1}', '{"a":1}'],
    ["text or nothing", { type: ["string", "null"] }, "null", "null"],
    ["text or nothing, as Python servers write it", { anyOf: [{ type: "string" }, { type: "null" }] }, "42", "42"],
    ["one of some texts", { enum: ["1", "2"] }, "1", "1"],
    ["empty text", { type: "string" }, "", ""],
    ["a number", { type: "number" }, "4.5", 4.5],
    ["a whole number", { type: "integer" }, "-7", -7],
    ["yes or no", { type: "boolean" }, "false", false],
    ["a list", { type: "array" }, '["a", 1]', ["a", 1]],
    ["an object", { type: "object" }, '{"a": null}', { a: null }],
    ["whichever of two", { type: ["number", "boolean"] }, "true", true],
    ["anything: JSON if it is", {}, "42", 42],
    ["anything: text if it isn't", {}, "fourty two", "fourty two"],
    ["anything: no text of its own", {}, "", ""],
    ["a schema that says nothing", true, "[1]", [1]],
  ])("%s", (_, schema, text, value) => {
    expect(parse([`x=${text}`], undefined, { properties: { x: schema } })).toStrictEqual({ x: value });
  });

  it.each<[string, Json, string]>([
    ["a number", { type: "number" }, "many"],
    ["yes or no", { type: "boolean" }, "yes"],
    ["a list", { type: "array" }, "a,b"],
    ["an object", { type: "object" }, "{a:1}"],
  ])("what can't be %s is a mistake that names the argument", (_, schema, text) => {
    expect(() => parse([`x=${text}`], undefined, { properties: { x: schema } })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENTS", message: expect.stringMatching(/"x" must be .*not "/) }),
    );
  });
});

describe("arguments", () => {
  it("may be none", () => {
    expect(parse([], undefined, {})).toEqual({});
  });

  it("may have equals signs in their values, and names that the schema has not", () => {
    expect(parse(["a=b=c", "d==", "unknown=1"], undefined, { properties: {} })).toEqual({
      a: "b=c",
      d: "=",
      unknown: 1,
    });
  });

  it("may be given as JSON, to which words add and which they replace", () => {
    const schema: JsonObject = { properties: { a: { type: "string" } } };
    expect(parse(["a=2", "b=3"], '{"a": "1", "c": [4]}', schema)).toEqual({ a: "2", b: 3, c: [4] });
  });

  it("that are lists may be given one element at a time", () => {
    const schema: JsonObject = {
      properties: { a: { type: "array", items: { type: "string" } }, b: { type: "array" } },
    };
    expect(parse(["a=1", "b=1", "a=x", "b=x"], undefined, schema)).toEqual({ a: ["1", "x"], b: [1, "x"] });
  });

  it.each<[string, JsonObject]>([
    ["a text", { properties: { a: { type: "string" } } }],
    ["anything", {}],
  ])("that are %s can't be given twice", (_, schema) => {
    expect(() => parse(["a=1", "a=2"], undefined, schema)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENTS",
        details: { reason: '"a" is given 2 times and is not a list' },
      }),
    );
  });

  it("are all checked before they are sent, and every problem is told", () => {
    const schema: JsonObject = {
      properties: {
        path: { type: "string" },
        head: { type: "integer" },
        mode: { enum: ["fast", "slow"] },
        deep: { anyOf: [{ type: "boolean" }, { type: "null" }] },
      },
      required: ["path", "mode"],
      additionalProperties: false,
    };
    expect(() => parse(["head=1.5", "pth=x", "mode=quick", "deep=1"], undefined, schema)).toThrow(
      expect.objectContaining({
        details: {
          reason: [
            '"path" is required',
            '"head" must be integer, not 1.5',
            '"pth" is not known',
            '"mode" must be one of "fast", "slow", not "quick"',
            '"deep" must be boolean or null, not 1',
          ].join("; "),
        },
      }),
    );
  });

  it("are not checked against types that nobody knows", () => {
    expect(parse(["a=1"], undefined, { properties: { a: { type: "quaternion" } } })).toEqual({ a: 1 });
  });

  it.each(["a", "=1", ""])("can't be %j", (pair) => {
    expect(() => parse([pair], undefined, {})).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining(JSON.stringify(pair)) }),
    );
  });

  it.each(["[1]", "null", '"a"', "{", ""])("can't be %j as JSON", (json) => {
    expect(() => parse([], json, {})).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENTS", details: { reason: "--args must be one JSON object" } }),
    );
  });

  it("reach the tool under any name, in words and as JSON alike", { meta: { covers: ["R3.35"] } }, () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes("="));
    fc.assert(
      fc.property(fc.oneof(name, fc.constantFrom("__proto__", "constructor", "toString")), fc.string(), (key, text) => {
        const json = JSON.stringify(Object.fromEntries([[key, text]]));
        const schema: JsonObject = { properties: Object.fromEntries([[key, { type: "string" }]]) };
        expect(JSON.stringify(parse([`${key}=${text}`], undefined, schema))).toBe(json);
        expect(JSON.stringify(parse([], json, schema))).toBe(json);
      }),
    );
  });
});
