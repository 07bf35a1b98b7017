import { coerceArguments, parseRawArguments } from "#arguments/parse-tool-arguments.js";
import type { Json, JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

function parse(pairs: readonly string[], json: string | undefined, schema: JsonObject): JsonObject {
  return coerceArguments(parseRawArguments(pairs, json), schema);
}

describe("coerceArguments", () => {
  it.each<[string, Json, string, Json]>([
    ["text", { type: "string" }, "42", "42"],
    ["text that looks like JSON", { type: "string" }, '{"a":1}', '{"a":1}'],
    ["text or null", { type: ["string", "null"] }, "null", "null"],
    ["text or null, as Python servers declare it", { anyOf: [{ type: "string" }, { type: "null" }] }, "42", "42"],
    ["a value of an enum", { enum: ["1", "2"] }, "1", "1"],
    ["empty text", { type: "string" }, "", ""],
    ["a number", { type: "number" }, "4.5", 4.5],
    ["a whole number", { type: "integer" }, "-7", -7],
    ["a boolean", { type: "boolean" }, "false", false],
    ["a list", { type: "array" }, '["a", 1]', ["a", 1]],
    ["an object", { type: "object" }, '{"a": null}', { a: null }],
    ["a value of one of two types", { type: ["number", "boolean"] }, "true", true],
    ["a value of any type to JSON, if it is JSON", {}, "42", 42],
    ["a value of any type to text, if it is not JSON", {}, "fourty two", "fourty two"],
    ["an empty value of any type to empty text", {}, "", ""],
    ["a value whose schema is `true`", true, "[1]", [1]],
  ])("converts %s", (_, schema, text, value) => {
    expect(parse([`x=${text}`], undefined, { properties: { x: schema } })).toStrictEqual({ x: value });
  });

  it.each<[string, Json, string]>([
    ["a number", { type: "number" }, "many"],
    ["a boolean", { type: "boolean" }, "yes"],
    ["a list", { type: "array" }, "a,b"],
    ["an object", { type: "object" }, "{a:1}"],
  ])("rejects text that is not %s, and names the argument", (_, schema, text) => {
    expect(() => parse([`x=${text}`], undefined, { properties: { x: schema } })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENTS", message: expect.stringMatching(/"x" must be .*not "/) }),
    );
  });
});

describe("parseRawArguments and coerceArguments", () => {
  it("return an empty object for no arguments", () => {
    expect(parse([], undefined, {})).toEqual({});
  });

  it("accept equals signs in values, and names that the schema does not have", () => {
    expect(parse(["a=b=c", "d==", "unknown=1"], undefined, { properties: {} })).toEqual({
      a: "b=c",
      d: "=",
      unknown: 1,
    });
  });

  it("let name=value words add to and replace the values of --args", () => {
    const schema: JsonObject = { properties: { a: { type: "string" } } };
    expect(parse(["a=2", "b=3"], '{"a": "1", "c": [4]}', schema)).toEqual({ a: "2", b: 3, c: [4] });
  });

  it("make a list from a repeated name", () => {
    const schema: JsonObject = {
      properties: { a: { type: "array", items: { type: "string" } }, b: { type: "array" } },
    };
    expect(parse(["a=1", "b=1", "a=x", "b=x"], undefined, schema)).toEqual({ a: ["1", "x"], b: [1, "x"] });
  });

  it.each<[string, JsonObject]>([
    ["a string", { properties: { a: { type: "string" } } }],
    ["a value of any type", {}],
  ])("reject a repeated name if the schema allows only %s", (_, schema) => {
    expect(() => parse(["a=1", "a=2"], undefined, schema)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENTS",
        details: { reason: '"a" is given 2 times and is not a list' },
      }),
    );
  });

  it("report all problems at once", () => {
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
            '"pth" is unknown',
            '"mode" must be one of "fast", "slow", not "quick"',
            '"deep" must be boolean or null, not 1',
          ].join("; "),
        },
      }),
    );
  });

  it("do not check types that JSON Schema does not define", () => {
    expect(parse(["a=1"], undefined, { properties: { a: { type: "quaternion" } } })).toEqual({ a: 1 });
  });

  it.each(["a", "=1", ""])("reject %j, which is not name=value", (pair) => {
    expect(() => parse([pair], undefined, {})).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining(JSON.stringify(pair)) }),
    );
  });

  it.each(["[1]", "null", '"a"', "{", ""])("reject %j as the value of --args", (json) => {
    expect(() => parse([], json, {})).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENTS", details: { reason: "--args must be one JSON object" } }),
    );
  });

  it("accept any argument name, both in name=value words and in --args", { meta: { covers: ["R3.35"] } }, () => {
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
