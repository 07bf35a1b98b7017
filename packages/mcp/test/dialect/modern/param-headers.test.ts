import type { JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { paramHeaders, parseParamHeaders } from "#dialect/modern/param-headers.js";

const schema = (properties: JsonObject, more: JsonObject = {}) => ({ type: "object", properties, ...more });
const text = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header }) as JsonObject;

describe("a schema wants headers", () => {
  it("for arguments of the simple types, along properties", () => {
    const inner = schema({ deep: text("Deep", "integer") });
    const mirrors = parseParamHeaders(
      schema({ a: text("A"), b: text("B-1", "boolean"), c: inner, d: { type: "string" } }),
    );
    expect(mirrors).toEqual([
      { header: "A", path: ["a"] },
      { header: "B-1", path: ["b"] },
      { header: "Deep", path: ["c", "deep"] },
    ]);
  });

  it("and does not, where the word is but data or the name of an argument", () => {
    const named = schema({
      "x-mcp-header": { type: "object" },
      a: { type: "object", default: { "x-mcp-header": "A" } },
    });
    expect(parseParamHeaders(named)).toEqual([]);
    expect(parseParamHeaders({ type: "object", additionalProperties: true })).toEqual([]);
  });

  it.each([
    ["no name", schema({ a: text("") })],
    ["a name that is no text", schema({ a: text(1) })],
    ["a space in the name", schema({ a: text("A B") })],
    ["a colon in the name", schema({ a: text("A:B") })],
    ["a line break in the name", schema({ a: text("A\r\nB") })],
    ["a letter beyond ASCII", schema({ a: text("Ä") })],
    ["a number, which has many spellings", schema({ a: text("A", "number") })],
    ["an object", schema({ a: text("A", "object") })],
    ["a list", schema({ a: text("A", "array") })],
    ["null", schema({ a: text("A", "null") })],
    ["several types", schema({ a: text("A", ["string", "null"]) })],
    ["no type", schema({ a: { "x-mcp-header": "A" } })],
    ["one name twice", schema({ a: text("A"), b: text("A") })],
    ["one name in two cases", schema({ a: text("A"), b: schema({ c: text("a") }) })],
    ["all arguments at once", { ...schema({}), ...text("A", "object") }],
    ["a member of a list", schema({ a: { type: "array", items: text("A") } })],
    ["something inside a list", schema({ a: { type: "array", items: schema({ b: text("A") }) } })],
    ["one of several", schema({ a: { anyOf: [text("A"), { type: "null" }] } })],
    ["a definition", schema({}, { $defs: { x: text("A") } })],
    ["any other argument", schema({}, { additionalProperties: text("A") })],
  ])("and is invalid with %s", (_, invalid) => {
    expect(parseParamHeaders(invalid as JsonObject)).toHaveProperty("invalid");
  });

  it("however many there are", () => {
    const many = Array.from({ length: 200_000 }, (_, at) => [`f${at}`, text(`H${at}`)] as const);
    expect(parseParamHeaders(schema(Object.fromEntries(many)))).toHaveLength(many.length);
  });
});

describe("an argument in a header", () => {
  const mirrors = [
    { header: "A", path: ["a"] },
    { header: "Deep", path: ["c", "deep"] },
  ];

  it.each<[string, JsonObject, object]>([
    ["is itself", { a: "eu west", c: { deep: 7 } }, { "mcp-param-a": "eu west", "mcp-param-deep": "7" }],
    ["may be false or zero", { a: false, c: { deep: 0 } }, { "mcp-param-a": "false", "mcp-param-deep": "0" }],
    ["is none if it is absent or null", { a: null, c: {} }, {}],
    ["is none if what holds it is no object", { c: "deep" }, {}],
    ["is none if it is of another type", { a: ["x"], c: { deep: {} } }, {}],
    ["is encoded beyond ASCII", { a: "é" }, { "mcp-param-a": "=?base64?w6k=?=" }],
    ["is encoded if it is padded", { a: " a" }, { "mcp-param-a": "=?base64?IGE=?=" }],
    ["is encoded if it breaks the line", { a: "a\nb" }, { "mcp-param-a": "=?base64?YQpi?=" }],
    ["is encoded if it looks encoded", { a: "=?base64?YQ==?=" }, { "mcp-param-a": "=?base64?PT9iYXNlNjQ/WVE9PT89?=" }],
  ])("%s", (_, args, headers) => {
    expect(paramHeaders(mirrors, args)).toEqual(headers);
  });
});
