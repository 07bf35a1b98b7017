import { renderFullSignature, renderType, resolveSchema, signatureVariants } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const string = { type: "string" };

describe("resolveSchema", () => {
  it("follows only references within the schema, and does not loop", { meta: { covers: ["A9"] } }, () => {
    const root = { $defs: { a: { $ref: "#/$defs/a" }, b: { type: "string" } } };
    expect(resolveSchema({ $ref: "#/$defs/b", title: "B" }, root)).toEqual({ type: "string", title: "B" });
    expect(resolveSchema({ $ref: "#/$defs/a" }, root)).toEqual({});
    expect(resolveSchema({ $ref: "https://evil.example/schema" }, root)).toEqual({});
    expect(resolveSchema(true, root)).toEqual({});
  });

  it("ignores a reference that is not properly encoded", () => {
    expect(resolveSchema({ $ref: "#/%25" }, { "%": { type: "string" } })).toEqual({ type: "string" });
    expect(resolveSchema({ $ref: "#/%zz" }, {})).toEqual({});
  });
});

describe("renderType", () => {
  it.each<[string, JsonObject, string]>([
    ["a string", string, "string"],
    ["a whole number", { type: "integer" }, "integer"],
    ["no type", {}, "unknown"],
    ["an unknown type", { type: "quaternion" }, "unknown"],
    ["several types", { type: ["string", "null"] }, "string | null"],
    ["the keyword nullable of OpenAPI", { type: "string", nullable: true }, "string | null"],
    ["an enum", { type: "string", enum: ["a", "b\u202e"] }, '"a" | "b\\u202e"'],
    ["an enum of several types", { enum: [1, true, null, "x"] }, '1 | true | null | "x"'],
    ["a constant", { const: "x" }, '"x"'],
    ["a list", { type: "array", items: string }, "string[]"],
    ["a list of alternatives", { type: "array", items: { type: ["string", "number"] } }, "(string | number)[]"],
    ["a list of anything", { type: "array" }, "unknown[]"],
    ["a tuple", { type: "array", prefixItems: [string, { type: "number" }] }, "[string, number]"],
    ["a tuple of draft-07", { type: "array", items: [string] }, "[string]"],
    ["any object", { type: "object" }, "object"],
    ["an object", object({ a: string, "b c": {} }, { required: ["a"] }), '{a: string, "b c"?: unknown}'],
    ["an object that allows more", object({ a: string }, { additionalProperties: true }), "{a?: string, …}"],
    ["a map", { type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
    ["alternatives", { anyOf: [string, { type: "null" }] }, "string | null"],
    ["alternatives that look the same", { oneOf: [string, { type: "string", format: "uri" }] }, "string"],
    [
      "alternatives that only say which names are required",
      { ...object({ a: string }), anyOf: [{ required: ["a"] }] },
      "{a?: string}",
    ],
    ["a combination", { allOf: [object({ a: string }), object({ b: string })] }, "{a?: string} & {b?: string}"],
    [
      "a combination with alternatives",
      { allOf: [object({ a: string })], anyOf: [object({ b: string }), string] },
      "{a?: string} & ({b?: string} | string)",
    ],
    ["a schema that allows nothing", { type: "array", items: false }, "never[]"],
  ])("renders %s", (_, schema, text) => {
    expect(renderType(schema, schema)).toBe(text);
  });

  it("follows references to definitions, also if other keywords are beside them", () => {
    const root: JsonObject = {
      $defs: { color: { enum: ["red", "blue"] }, list: { type: "array", items: { $ref: "#/$defs/color" } } },
    };
    expect(renderType({ $ref: "#/$defs/color", description: "x" }, root)).toBe('"red" | "blue"');
    expect(renderType({ $ref: "#/$defs/list" }, root)).toBe('("red" | "blue")[]');
    expect(renderType({ $ref: "#/$defs/none" }, root)).toBe("unknown");
    expect(renderType({ $ref: "https://example.com/schema" }, root)).toBe("unknown");
  });

  it("cuts a schema that refers to itself", { meta: { covers: ["A9"] } }, () => {
    const root: JsonObject = {
      $defs: { node: object({ next: { $ref: "#/$defs/node" } }), loop: { $ref: "#/$defs/loop" } },
    };
    expect(renderType({ $ref: "#/$defs/node" }, root)).toBe("{next?: {next?: {next?: {next?: object}}}}");
    expect(renderType({ $ref: "#/$defs/loop" }, root)).toBe("unknown");
  });

  it("cuts large and deep schemas to a short text within a short time", { meta: { covers: ["A9"] } }, () => {
    const many = object(Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`p${index}`, string])));
    const values = { enum: Array.from({ length: 50_000 }, (_, index) => `v${index}`) };
    let bomb: JsonObject = string;
    for (let level = 0; level < 3_000; level++) bomb = { anyOf: [bomb, bomb, object({ a: bomb })] };
    const startedAt = performance.now();
    for (const schema of [many, values, bomb]) expect(renderType(schema, schema).length).toBeLessThan(10_000);
    expect(renderType(values, values)).toMatch(/"v11" \| …$/);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it(
    "never throws and never prints a control character, whatever the schema",
    { meta: { covers: ["A4", "A7", "A9"] } },
    () => {
      const keyword = fc.constantFrom(
        "type",
        "properties",
        "items",
        "anyOf",
        "allOf",
        "enum",
        "const",
        "$ref",
        "required",
        "additionalProperties",
        "prefixItems",
        "nullable",
      );
      const schema = fc.letrec((tie) => ({
        value: fc.oneof(
          { depthSize: "small" },
          fc.string({ unit: "binary" }),
          fc.constantFrom("object", "array", "string", "#", "#/properties/a"),
          fc.boolean(),
          fc.integer(),
          fc.constant(null),
          fc.array(tie("value")),
          tie("schema"),
        ),
        schema: fc.dictionary(fc.oneof(keyword, fc.string({ unit: "binary" })), tie("value")),
      })).schema as fc.Arbitrary<JsonObject>;
      fc.assert(
        fc.property(schema, (inputSchema) => {
          expect(renderType(inputSchema, inputSchema)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
          expect(renderFullSignature("t", inputSchema)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
          for (const variant of signatureVariants("t", inputSchema)) expect(variant()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }),
      );
    },
  );
});

describe("renderFullSignature", () => {
  it("shows every name, enum and default that a model sees", { meta: { covers: ["A4"] } }, () => {
    const schema = {
      type: "object",
      required: ["path"],
      properties: {
        path: { type: "string" },
        head: { type: "integer", default: 5 },
        mode: { enum: ["a", "b"] },
        list: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
        nested: { type: "object", properties: { deep: { type: "boolean", default: true } } },
      },
    };
    expect(renderFullSignature("read", schema)).toBe(
      'read(path: string, head?: integer = 5, mode?: "a" | "b", list?: (string | number)[], nested?: {deep?: boolean = true})',
    );
  });

  it("names every parameter of a schema that contains itself many times", { meta: { covers: ["A9"] } }, () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: "#" }]));
    const text = renderFullSignature("t", { type: "object", required: names, properties });
    expect(text).toContain("p1999: ");
    expect(text.length).toBeLessThan(100_000);
  });
});
