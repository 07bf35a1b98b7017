import { fieldKind, formDepth, initialValue, matchingAlternative, propertiesOf } from "#schema/form-fields.js";
import { describe, expect, it } from "vitest";

describe("a schema that would stop the page", { meta: { covers: ["A9"] } }, () => {
  const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
  const itself = { $ref: "#" };
  const properties = Object.fromEntries(names.map((name) => [name, itself]));
  const objects = { type: "object", required: names, properties };
  const alternatives = { anyOf: names.map((name) => ({ title: name, properties: { [name]: itself } })) };

  it("is cut off if it contains itself many times", () => {
    for (const schema of [objects, alternatives]) {
      expect(JSON.stringify(initialValue(schema, schema) ?? null).length).toBeLessThan(100_000);
    }
    expect(formDepth(objects, { maxDepth: 6, maxFields: 500 })).toBe(0);
    expect(formDepth({ properties: { a: { properties: { b: {} } } } }, { maxDepth: 6, maxFields: 500 })).toBe(6);
  });

  it("gets a finite initial value if it contains itself once", () => {
    const tree = { type: "object", required: ["left"], properties: { left: { $ref: "#" } } };
    expect(initialValue(tree, tree)).toBeTypeOf("object");
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
