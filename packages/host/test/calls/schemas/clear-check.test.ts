/** Tests the quick check for clear cases, in which Ajv is not loaded. It must never accept a value that Ajv rejects. */
import type { Json, JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileSchema } from "#calls/schemas/compile-schema.js";
import { clearCheck } from "#calls/schemas/clear-check.js";

const TYPICAL: JsonObject = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    path: { type: "string", description: "A path." },
    limit: { type: "integer", minimum: 1, maximum: 10, default: 5 },
    tags: { type: "array", items: { type: "string" } },
    mode: { enum: ["a", "b"] },
  },
  required: ["path"],
  additionalProperties: false,
};

describe("clearCheck", () => {
  it.each<[string, JsonObject]>([
    ["only required arguments", { path: "x" }],
    ["every argument", { path: "x", limit: 10, tags: ["y"], mode: "a" }],
  ])("accepts arguments that match a typical schema: %s", (_, args) => {
    expect(clearCheck(TYPICAL)(args)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ["a missing argument", {}],
    ["a wrong type", { path: 1 }],
    ["a number out of range", { path: "x", limit: 11 }],
    ["a wrong item", { path: "x", tags: [1] }],
    ["a value that is not in the enum", { path: "x", mode: "c" }],
    ["an unknown argument", { path: "x", other: true }],
  ])("leaves arguments that do not match to Ajv: %s", (_, args) => {
    expect(clearCheck(TYPICAL)(args)).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ["a keyword that it does not know", { type: "object", minProperties: 0 }],
    ["a reference", { $ref: "#/$defs/a", $defs: { a: {} } }],
    ["another dialect", { $schema: "https://example.com/dialect" }],
    ["an invalid keyword", { properties: [] }],
  ])("leaves a schema to Ajv: %s", (_, schema) => {
    expect(clearCheck(schema)({})).toBe(false);
  });

  it("leaves an argument with the name __proto__ to Ajv", () => {
    const properties = JSON.parse('{ "__proto__": true }') as JsonObject;
    const args = JSON.parse('{ "__proto__": {} }') as JsonObject;
    expect(clearCheck({ properties, additionalProperties: false })(args)).toBe(false);
    expect(clearCheck({ properties })(args)).toBe(false);
  });

  const name = fc.constantFrom("a", "b", "__proto__", "constructor");
  const primitive = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom("a", "", null, true, 0.5));
  const value = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(primitive, fc.array(tie("value"), { maxLength: 2 }), fc.dictionary(name, tie("value"))),
  })).value;
  const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
  const schema = fc.letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      fc.boolean(),
      fc.record(
        {
          type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
          enum: fc.uniqueArray(primitive, { minLength: 1, maxLength: 3 }),
          const: primitive,
          minimum: fc.integer({ min: -1, max: 1 }),
          maximum: fc.integer({ min: -1, max: 1 }),
          items: tie("schema"),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
          additionalProperties: tie("schema"),
        },
        { requiredKeys: [] },
      ),
    ),
  })).schema;

  it("never accepts a value that Ajv refuses", () => {
    const objectSchema = schema.filter((one): one is JsonObject => typeof one === "object");
    fc.assert(
      fc.property(objectSchema, value, (one, data) => {
        if (clearCheck(one)(data)) expect(compileSchema(one)(data)).toBeUndefined();
      }),
      { numRuns: 5000 },
    );
  });
});
