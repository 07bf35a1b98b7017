import { modelSchema } from "#tools/model-schema.js";
import type { ModelSchemaOptions } from "#tools/model-schema.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const ANYTHING = { type: "object", additionalProperties: true };

describe("modelSchema", () => {
  describe("schema that can't be converted", () => {
    it.each([
      ["a missing schema", undefined],
      ["null", null],
      ["a text", "object"],
      ["a list", []],
      ["a schema of another type", { type: "string" }],
      ["a schema of several other types", { type: ["string", "null"] }],
      ["a schema that is too large", { type: "object", description: "x".repeat(64 * 1024) }],
      ["a schema with too many parts", { enum: Array.from({ length: 100_000 }, () => 1) }],
      [
        "a schema with too many keys",
        Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, 1])),
      ],
      ["a schema that is too deep", nested(70, { type: "string" })],
    ])("is replaced by a schema that accepts any object: %s", (_, schema) => {
      expect(modelSchema(schema)).toEqual(ANYTHING);
      expect(modelSchema(schema, { fillMissing: true })).toEqual({ ...ANYTHING, properties: {} });
    });

    it("is replaced by a schema that accepts any object: a small schema that becomes too large with inlined references", () => {
      const twice = (name: string) => ({ anyOf: [ref(name), ref(name)] });
      const definitions = Object.fromEntries(
        Array.from({ length: 25 }, (_, index) => [`d${index}`, twice(`d${index + 1}`)]),
      );
      const schema = { type: "object", properties: { a: ref("d0") }, definitions };
      expect(modelSchema(schema, { inlineRefs: true })).toEqual(ANYTHING);
      expect(modelSchema(schema)).toMatchObject({ properties: { a: ref("d0") } });
    });
  });

  describe("top level", () => {
    it.each<[string, Json, JsonObject]>([
      ["an empty schema", {}, { type: "object" }],
      ["a nullable object", { type: ["object", "null"] }, { type: "object" }],
      [
        "alternatives that only differ in `required`",
        { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
        { type: "object", properties: { a: {}, b: {} } },
      ],
      [
        "alternatives with different properties",
        {
          oneOf: [
            { type: "object", properties: { kind: { const: "a" }, x: { type: "string" } }, required: ["kind", "x"] },
            { type: "object", properties: { kind: { const: "b" }, x: { type: "string" } }, required: ["kind"] },
          ],
        },
        {
          type: "object",
          properties: { kind: { anyOf: [{ const: "a" }, { const: "b" }] }, x: { type: "string" } },
          required: ["kind"],
        },
      ],
      [
        "`allOf`",
        {
          properties: { a: { type: "string" } },
          required: ["a"],
          allOf: [
            { properties: { a: {}, b: { type: "number" } }, required: ["b"] },
            ref("more"),
            { $ref: "#/$defs/none" },
          ],
          definitions: { more: { properties: { c: {} }, required: ["c"] } },
        },
        {
          type: "object",
          properties: { a: { type: "string" }, b: { type: "number" }, c: {} },
          required: ["a", "b", "c"],
          definitions: { more: { properties: { c: {} }, required: ["c"] } },
        },
      ],
      [
        "a reference at the top",
        { ...ref("Input"), definitions: { Input: { type: "object", properties: { a: {} } } } },
        { type: "object", properties: { a: {} }, definitions: { Input: { type: "object", properties: { a: {} } } } },
      ],
      [
        "keywords that providers reject at the top",
        { $schema: "http://json-schema.org/draft-04/schema#", id: "x", type: "object", not: {}, enum: [{}], const: {} },
        { type: "object" },
      ],
    ])("becomes an object schema without alternatives: %s", (_, schema, expected) => {
      expect(modelSchema(schema)).toEqual(expected);
    });
  });

  describe("invalid part of a schema", () => {
    it.each<[string, JsonObject, JsonObject]>([
      ["an unknown type", { type: "any", title: "x" }, { title: "x" }],
      ["`required` as a boolean", { type: "string", required: true }, { type: "string" }],
      ["an exclusive limit as a boolean", { minimum: 1, exclusiveMinimum: true }, { minimum: 1 }],
      ["an empty enum", { enum: [], anyOf: [] }, {}],
      ["an invalid pattern", { pattern: "(", title: "x" }, { title: "x" }],
      ["unknown keywords", { nullable: true, "x-order": 1, title: "x" }, { title: "x" }],
      [
        "`items` as a list",
        { type: "array", items: [{ type: "string" }] },
        { type: "array", prefixItems: [{ type: "string" }] },
      ],
      ["a reference to another document", { $ref: "https://example.com/s.json", title: "x" }, { title: "x" }],
      ["a reference to a file", { $ref: "file:///etc/passwd" }, {}],
      ["a reference without a target", { $ref: "#/$defs/none" }, {}],
      ["a malformed reference", { $ref: "#/%E0%A4%A" }, {}],
      ["boolean schemas", { anyOf: [true, false, 5] }, { anyOf: [{}, { not: {} }, {}] }],
      [
        "a lone surrogate",
        { description: "a\ud800", enum: ["\udfff"] },
        { description: "a<U+D800>", enum: ["<U+DFFF>"] },
      ],
      ["a negative length", { minLength: -1, maxLength: 1.5, multipleOf: 0 }, {}],
      ["duplicates in `required`", { required: ["a", "a"] }, { required: ["a"] }],
    ])("is corrected or removed, and the rest is kept: %s", (_, wrong, right) => {
      const { properties } = modelSchema({ type: "object", properties: { x: wrong } });
      expect(properties).toEqual({ x: right });
    });

    it("is not assumed for a parameter named like an object property", () => {
      const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"toString":{"enum":["a"]}}}') as Json;
      expect(JSON.stringify(modelSchema(schema))).toBe(
        '{"properties":{"__proto__":{"type":"string"},"toString":{"enum":["a"]}},"type":"object"}',
      );
    });
  });

  describe("options", () => {
    it("`fillMissing` adds empty properties and items", () => {
      const schema = { properties: { a: { type: "object" }, b: { type: ["array", "null"] }, c: { type: "string" } } };
      expect(modelSchema(schema, { fillMissing: true })).toEqual({
        type: "object",
        properties: {
          a: { type: "object", properties: {} },
          b: { type: ["array", "null"], items: {} },
          c: { type: "string" },
        },
      });
    });

    it("`inlineRefs` replaces references, except recursive ones", () => {
      const definitions = { node: { type: "object", properties: { next: ref("node"), name: { type: "string" } } } };
      const schema = {
        properties: {
          a: { ...ref("node"), description: "The first" },
          b: { $ref: "#/properties/c" },
          c: { type: "string" },
        },
        definitions,
      };
      expect(modelSchema(schema, { inlineRefs: true })).toEqual({
        type: "object",
        properties: {
          a: { type: "object", properties: { next: {}, name: { type: "string" } }, description: "The first" },
          b: { type: "string" },
          c: { type: "string" },
        },
      });
      expect(modelSchema(schema)).toMatchObject({ properties: { a: ref("node"), b: { type: "string" } }, definitions });
    });

    it("`dropUnknownRequired` removes undefined names from `required`", () => {
      const schema = { properties: { a: {}, b: { anyOf: [{ required: ["x"] }] } }, required: ["a", "z"] };
      expect(modelSchema(schema, { dropUnknownRequired: true })).toEqual({
        type: "object",
        properties: { a: {}, b: { anyOf: [{ required: [] }] } },
        required: ["a"],
      });
    });

    it("`allowedKeys` removes only parameters with other names", () => {
      const properties = { "filter[id]": {}, name: {}, ["x".repeat(65)]: {} };
      const schema = { properties, required: ["name", "filter[id]"], additionalProperties: false };
      expect(modelSchema(schema, { allowedKeys: /^[a-zA-Z0-9_.-]{1,64}$/ })).toEqual({
        type: "object",
        properties: { name: {} },
        required: ["name"],
        additionalProperties: true,
      });
    });
  });

  it("always returns a valid 2020-12 schema, and does not change its input", () => {
    const keyword = fc.constantFrom(
      ...[
        "type",
        "properties",
        "items",
        "anyOf",
        "allOf",
        "oneOf",
        "not",
        "enum",
        "const",
        "required",
        "$ref",
        "$defs",
      ],
      ...["definitions", "pattern", "minimum", "exclusiveMinimum", "minLength", "additionalProperties", "if", "format"],
      ...["patternProperties", "prefixItems", "dependentRequired", "default", "description", "x-own", "__proto__"],
    );
    const leaf = fc.constantFrom<Json>(
      "object",
      "string",
      "any",
      "#",
      "#/$defs/a",
      "(",
      true,
      false,
      null,
      1,
      -1,
      "a\ud800",
    );
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, depthSize: "medium" },
        leaf,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(keyword, tie("value"), { maxKeys: 4 }),
      ),
    }));
    const needs = fc.constantFrom<ModelSchemaOptions>(
      {},
      { fillMissing: true },
      { inlineRefs: true, dropUnknownRequired: true },
      { allowedKeys: /^[a-z]+$/ },
    );
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    fc.assert(
      fc.property(fc.dictionary(keyword, value, { maxKeys: 6 }), needs, (schema, needs) => {
        const before = JSON.stringify(schema);
        const sent = modelSchema(schema, needs);
        expect(JSON.stringify(schema)).toBe(before);
        expect(ajv.validateSchema(sent), JSON.stringify(sent)).toBe(true);
        expect(sent["type"]).toBe("object");
        for (const refused of ["anyOf", "oneOf", "allOf", "not", "enum", "const", "$schema", "$ref"]) {
          expect(sent).not.toHaveProperty(refused);
        }
        expect(JSON.stringify(sent)).not.toMatch(/\\ud[89a-f]/);
      }),
      { numRuns: 300 },
    );
  });
});

function ref(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

function nested(depth: number, inner: JsonObject): JsonObject {
  return depth === 0 ? inner : { properties: { a: nested(depth - 2, inner) } };
}
