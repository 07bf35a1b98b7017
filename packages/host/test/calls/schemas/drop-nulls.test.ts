/** Tests how a null for an optional argument is removed, but only if the schema provably rejects null. */
import type { Json, JsonObject, Tool } from "@plugboard/contracts";
import { systemClock } from "@plugboard/contracts";
import { compileSchema } from "#calls/schemas/compile-schema.js";
import { dropNulls } from "#calls/schemas/drop-nulls.js";
import { SchemaChecks } from "#calls/schemas/schema-checks.js";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";

const object = (properties: JsonObject, required: Json[] = []): JsonObject => ({
  type: "object",
  properties,
  required,
});
const text = { type: "string" };
const textOrNull = { type: ["string", "null"] };

describe("dropNulls", () => {
  describe("null that the schema rejects", () => {
    it.each<[string, JsonObject, JsonObject, JsonObject]>([
      ["by its type", object({ a: text, b: text }), { a: null, b: "x" }, { b: "x" }],
      ["by its enum", object({ a: { enum: ["x", "y"] }, b: { const: 1 } }), { a: null, b: null }, {}],
      ["by each alternative", object({ a: { anyOf: [text, { type: "number" }] } }), { a: null }, {}],
      ["by one part of allOf", object({ a: { allOf: [{}, text] } }), { a: null }, {}],
      [
        "in a nested object",
        object({ o: object({ a: text, b: text }) }),
        { o: { a: null, b: "x" } },
        { o: { b: "x" } },
      ],
      [
        "in an object in a list",
        object({ l: { items: object({ a: text }) } }),
        { l: [{ a: null }, 1] },
        { l: [{}, 1] },
      ],
      ["by the schema `false`", object({ a: false }), { a: null }, {}],
    ])("is removed if it is rejected %s", (_, schema, args, expected) => {
      expect(dropNulls(schema, args)).toEqual(expected);
    });
  });

  describe("null that the schema may accept", () => {
    it.each<[string, JsonObject, JsonObject]>([
      ["allowed by the type", object({ a: textOrNull }), { a: null }],
      ["allowed by `nullable`", object({ a: { type: "string", nullable: true } }), { a: null }],
      ["allowed by one alternative", object({ a: { anyOf: [text, { type: "null" }] } }), { a: null }],
      ["in the enum", object({ a: { enum: ["x", null] } }), { a: null }],
      ["for a required argument", object({ a: text }, ["a"]), { a: null }],
      ["for an argument that allOf requires", { allOf: [{ required: ["a"] }], ...object({ a: text }) }, { a: null }],
      ["for an argument without a schema", object({}), { a: null }],
      ["an item of a list", object({ l: { items: text } }), { l: [null] }],
      ["in an alternative that may not apply", { anyOf: [object({ a: text }), object({ b: text })] }, { a: null }],
    ])("is kept if it is %s", (_, schema, args) => {
      expect(dropNulls(schema, args)).toBe(args);
    });
  });

  it("dropNulls never changes valid arguments", () => {
    const leaf = fc.constantFrom<JsonObject>(
      {},
      text,
      textOrNull,
      { enum: ["x", null] },
      { nullable: true, ...text },
      { not: text },
    );
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3, depthSize: "small" },
        leaf,
        fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
        fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
        fc.record({ items: tie("schema") }),
        fc.record({
          properties: fc.dictionary(fc.constantFrom("a", "b"), tie("schema"), { noNullPrototype: true }),
          required: fc.subarray(["a", "b"]),
        }),
      ),
    }));
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        { weight: 3, arbitrary: fc.constant(null) },
        fc.constantFrom<Json>("x", 1),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b"), tie("value"), { noNullPrototype: true }),
      ),
    }));
    const args = fc.dictionary(fc.constantFrom("a", "b", "__proto__"), value, { noNullPrototype: true });
    fc.assert(
      fc.property(schema, args, (one, given) => {
        const next = dropNulls(one, given);
        if (next !== given) expect(compileSchema(one)(given)).toBeDefined();
      }),
      { numRuns: 2_000, seed: 5 },
    );
  });

  it("effectiveArguments searches for nulls only if schema and arguments are small enough", () => {
    const checks = new SchemaChecks({ clock: systemClock });
    onTestFinished(() => checks.close());
    const many = Array.from({ length: 500 }, (_, index) => object({ a: text, [`p${index}`]: {} }));
    const tool: Tool = { name: "t", inputSchema: object({ list: { items: { allOf: many } } }) };
    const small = { list: [{ a: null }] };
    expect(checks.effectiveArguments(tool, small)).toEqual({ list: [{}] });
    const large = { list: Array.from({ length: 10_000 }, () => ({ a: null })) };
    expect(checks.effectiveArguments(tool, large)).toBe(large);
  });

  it("effectiveArguments drops a null that a plain reference rejects, and keeps it for any other form of reference", () => {
    const checks = new SchemaChecks({ clock: systemClock });
    onTestFinished(() => checks.close());
    const tool = ($ref: string): Tool => ({ name: "t", inputSchema: { ...object({ a: { $ref } }), $defs: { text } } });
    expect(checks.effectiveArguments(tool("#/$defs/text"), { a: null })).toEqual({});
    expect(checks.effectiveArguments(tool("#/%24defs/text"), { a: null })).toEqual({ a: null });
  });

  describe("a search for nulls in a schema of nested allOf", { meta: { covers: ["A16"] } }, () => {
    const nested = (levels: number, width: number, last: JsonObject): JsonObject =>
      Array.from({ length: levels }).reduce<JsonObject>(
        (inner) => ({ allOf: [inner, ...Array.from({ length: width }, () => ({}))] }),
        last,
      );

    it("takes time that grows with the size of the schema, not with its depth", () => {
      const schema = object({ list: { items: object({ a: nested(244, 38, text) }) } });
      const args = { list: Array.from({ length: 10 }, () => ({ a: null })) };
      const began = process.cpuUsage();
      expect(dropNulls(schema, args)).toEqual({ list: Array.from({ length: 10 }, () => ({})) });
      // Takes about 20 ms. Copying a list at each level takes seconds.
      expect(process.cpuUsage(began).user / 1_000).toBeLessThan(700);
    });

    it("is skipped for a schema that is too large or too deep for the main thread", () => {
      const checks = new SchemaChecks({ clock: systemClock });
      onTestFinished(() => checks.close());
      const effective = (a: JsonObject) =>
        checks.effectiveArguments({ name: "t", inputSchema: object({ a }) }, { a: null });
      expect(effective(nested(10, 38, text))).toEqual({});
      expect(effective(nested(100, 1, text))).toEqual({ a: null });
      expect(effective(nested(10, 1_000, text))).toEqual({ a: null });
    });
  });
});
