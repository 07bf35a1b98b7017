import type { JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { paramHeaders, parseParamHeaders } from "#dialect/modern/param-headers.js";

const schema = (properties: JsonObject, more: JsonObject = {}) => ({ type: "object", properties, ...more });
const text = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header }) as JsonObject;

describe("parseParamHeaders", () => {
  it("finds declared headers of simple arguments at any depth of properties", () => {
    const inner = schema({ deep: text("Deep", "integer") });
    const declared = parseParamHeaders(
      schema({ a: text("A"), b: text("B-1", "boolean"), c: inner, d: { type: "string" } }),
    );
    expect(declared).toEqual([
      { header: "A", path: ["a"] },
      { header: "B-1", path: ["b"] },
      { header: "Deep", path: ["c", "deep"] },
    ]);
  });

  it("ignores the keyword x-mcp-header inside data, and as the name of an argument", () => {
    const named = schema({
      "x-mcp-header": { type: "object" },
      a: { type: "object", default: { "x-mcp-header": "A" } },
    });
    expect(parseParamHeaders(named)).toEqual([]);
    expect(parseParamHeaders({ type: "object", additionalProperties: true })).toEqual([]);
  });

  it.each([
    ["no name", schema({ a: text("") })],
    ["a name that is no string", schema({ a: text(1) })],
    ["a space in the name", schema({ a: text("A B") })],
    ["a colon in the name", schema({ a: text("A:B") })],
    ["a line break in the name", schema({ a: text("A\r\nB") })],
    ["a non-ASCII letter", schema({ a: text("Ä") })],
    ["the type number", schema({ a: text("A", "number") })],
    ["the type object", schema({ a: text("A", "object") })],
    ["the type array", schema({ a: text("A", "array") })],
    ["the type null", schema({ a: text("A", "null") })],
    ["several types", schema({ a: text("A", ["string", "null"]) })],
    ["no type", schema({ a: { "x-mcp-header": "A" } })],
    ["a duplicate name", schema({ a: text("A"), b: text("A") })],
    ["a name that differs only in case", schema({ a: text("A"), b: schema({ c: text("a") }) })],
    ["a declaration on the whole schema", { ...schema({}), ...text("A", "object") }],
    ["a declaration on array items", schema({ a: { type: "array", items: text("A") } })],
    ["a declaration inside array items", schema({ a: { type: "array", items: schema({ b: text("A") }) } })],
    ["a declaration inside anyOf", schema({ a: { anyOf: [text("A"), { type: "null" }] } })],
    ["a declaration inside $defs", schema({}, { $defs: { x: text("A") } })],
    ["a declaration on additionalProperties", schema({}, { additionalProperties: text("A") })],
  ])("rejects a header with %s", (_, invalid) => {
    expect(parseParamHeaders(invalid as JsonObject)).toHaveProperty("invalid");
  });

  it("accepts any number of headers", () => {
    const many = Array.from({ length: 200_000 }, (_, index) => [`f${index}`, text(`H${index}`)] as const);
    expect(parseParamHeaders(schema(Object.fromEntries(many)))).toHaveLength(many.length);
  });
});

describe("paramHeaders", () => {
  const declared = [
    { header: "A", path: ["a"] },
    { header: "Deep", path: ["c", "deep"] },
  ];

  it.each<[string, JsonObject, object]>([
    [
      "sends plain values unchanged",
      { a: "eu west", c: { deep: 7 } },
      { "mcp-param-a": "eu west", "mcp-param-deep": "7" },
    ],
    ["sends false and zero", { a: false, c: { deep: 0 } }, { "mcp-param-a": "false", "mcp-param-deep": "0" }],
    ["sends no header for absent or null arguments", { a: null, c: {} }, {}],
    ["sends no header if the parent is no object", { c: "deep" }, {}],
    ["sends no header for other types", { a: ["x"], c: { deep: {} } }, {}],
    ["encodes non-ASCII values", { a: "é" }, { "mcp-param-a": "=?base64?w6k=?=" }],
    ["encodes values with outer spaces", { a: " a" }, { "mcp-param-a": "=?base64?IGE=?=" }],
    ["encodes values with line breaks", { a: "a\nb" }, { "mcp-param-a": "=?base64?YQpi?=" }],
    [
      "encodes values that look encoded",
      { a: "=?base64?YQ==?=" },
      { "mcp-param-a": "=?base64?PT9iYXNlNjQ/WVE9PT89?=" },
    ],
  ])("%s", (_, args, headers) => {
    expect(paramHeaders(declared, args)).toEqual(headers);
  });
});
