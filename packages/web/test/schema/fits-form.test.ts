import { fitsForm } from "#schema/fits-form.js";
import { describe, expect, it } from "vitest";

const schema = {
  type: "object",
  properties: {
    count: { type: "integer" },
    on: { type: "boolean" },
    color: { enum: ["red", "green"] },
    tags: { type: "array", items: { type: "string" } },
    size: { oneOf: [{ type: "integer" }, { type: "string" }] },
    any: {},
  },
};

describe("fitsForm", () => {
  it("accepts values that the controls of the form can show", () => {
    const value = { count: 1, on: false, color: "red", tags: ["a"], size: "big", any: [null, {}] };
    expect(fitsForm(schema, value, schema)).toBe(true);
    expect(fitsForm(schema, {}, schema)).toBe(true);
    expect(fitsForm(schema, { count: "seven" }, schema)).toBe(true);
  });

  it.each([
    { count: true },
    { on: "yes" },
    { color: "blue" },
    { tags: [1] },
    { tags: "a" },
    { size: [] },
    { other: 1 },
  ])("rejects %o, which the form would hide", (value) => expect(fitsForm(schema, value, schema)).toBe(false));

  it("ends for a schema that contains itself many times", () => {
    const itself = { anyOf: Array.from({ length: 30 }, () => ({ $ref: "#" })) };
    expect(fitsForm(itself, "text", itself)).toBeTypeOf("boolean");
  });
});
