import {
  fieldKind,
  formDepth,
  initialValue,
  matchingAlternative,
  propertiesOf,
  resolveSchema,
} from "#schema/resolve-schema.js";
import { schemaText, toolSignature } from "#schema/signature.js";
import { describe, expect, it } from "vitest";

describe("resolveSchema", () => {
  it("follows references inside the schema only, and not endlessly", { meta: { covers: ["A9"] } }, () => {
    const root = { $defs: { a: { $ref: "#/$defs/a" }, b: { type: "string" } } };
    expect(resolveSchema({ $ref: "#/$defs/b", title: "B" }, root)).toEqual({ type: "string", title: "B" });
    expect(resolveSchema({ $ref: "#/$defs/a" }, root)).toEqual({ $ref: "#/$defs/a" });
    expect(resolveSchema({ $ref: "https://evil.example/schema" }, root)).toEqual({});
    expect(resolveSchema(true, root)).toEqual({});
  });

  it("stops in a schema that contains itself", () => {
    const tree = { type: "object", required: ["left"], properties: { left: { $ref: "#" } } };
    expect(initialValue(tree, tree)).toBeTypeOf("object");
    expect(schemaText(tree, tree)).toContain("…");
  });
});

describe("a schema that would stop the page", { meta: { covers: ["A9"] } }, () => {
  const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
  const itself = { $ref: "#" };
  const properties = Object.fromEntries(names.map((name) => [name, itself]));
  const objects = { type: "object", required: names, properties };
  const alternatives = { anyOf: names.map((name) => ({ title: name, properties: { [name]: itself } })) };

  it("is cut where it contains itself many times", () => {
    for (const schema of [objects, alternatives]) {
      expect(schemaText(schema, schema).length).toBeLessThan(100_000);
      expect(JSON.stringify(initialValue(schema, schema) ?? null).length).toBeLessThan(100_000);
    }
    expect(formDepth(objects, { maxDepth: 6, maxFields: 500 })).toBe(0);
    expect(toolSignature("t", objects)).toContain("p29: ");
    expect(formDepth({ properties: { a: { properties: { b: {} } } } }, { maxDepth: 6, maxFields: 500 })).toBe(6);
  });

  it("may have a reference that is not properly encoded", () => {
    expect(resolveSchema({ $ref: "#/%" }, { "%": { type: "string" } })).toEqual({ type: "string" });
    expect(resolveSchema({ $ref: "#/%zz" }, {})).toEqual({});
  });
});

describe("the form of a schema", () => {
  it("has a control for each kind of value", () => {
    expect(
      [
        { type: "string" },
        { type: ["integer", "null"] },
        { enum: ["a"] },
        { const: 1 },
        { anyOf: [{ type: "string" }] },
        { type: "array", items: {} },
        { type: "array" },
        { type: "object" },
        { properties: {} },
        { type: ["string", "number"] },
        {},
      ].map((schema) => fieldKind(schema as never)),
    ).toEqual([
      "string",
      "integer",
      "enum",
      "const",
      "alternatives",
      "array",
      "json",
      "json",
      "object",
      "json",
      "json",
    ]);
  });

  it("begins with the defaults, and shows required properties first", () => {
    const schema = {
      type: "object",
      required: ["b"],
      properties: {
        a: { default: 1 },
        b: { type: "object", properties: { c: { default: "x" } } },
        d: { type: "string" },
      },
    };
    expect(initialValue(schema, schema)).toEqual({ b: { c: "x" }, a: 1 });
    expect(propertiesOf(schema, schema).map(({ name }) => name)).toEqual(["b", "a", "d"]);
  });
});

describe("matchingAlternative", () => {
  it("finds the alternative that a value belongs to", () => {
    const alternatives = [{ type: "integer" }, { type: "string" }, { type: ["array", "null"] }, { const: true }];
    const found = [7, "x", [], null, true, 1.5, undefined].map((value) => matchingAlternative(alternatives, value));
    expect(found).toEqual([0, 1, 2, 2, 3, 0, 0]);
  });
});

describe("toolSignature", () => {
  it("shows every name, enum and default that a model sees", { meta: { covers: ["A4"] } }, () => {
    const schema = {
      type: "object",
      required: ["path"],
      properties: {
        path: { type: "string" },
        head: { type: "integer", default: 5 },
        mode: { enum: ["a", "b"] },
        list: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
        nested: { type: "object", properties: { deep: { type: "boolean" } } },
      },
    };
    expect(toolSignature("read", schema)).toBe(
      'read(path: string, head?: integer = 5, mode?: "a" | "b", list?: (string | number)[], nested?: { deep?: boolean })',
    );
  });
});
