import { allowedTypes, allowedValues, rejectsUnknownArguments, toolParameters } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

describe("toolParameters", () => {
  it("returns required parameters first, with resolved schemas", () => {
    const schema: JsonObject = {
      $ref: "#/$defs/input",
      $defs: {
        input: { properties: { a: true, b: { $ref: "#/$defs/text" } }, required: ["b"] },
        text: { type: "string" },
      },
    };
    expect(toolParameters(schema)).toEqual([
      { name: "b", required: true, schema: { type: "string" } },
      { name: "a", required: false, schema: {} },
    ]);
  });

  it("merges allOf and alternatives, but does not require the parameters of an alternative", () => {
    const schema: JsonObject = {
      properties: { a: { type: "string" } },
      allOf: [{ required: ["a"] }],
      oneOf: [{ properties: { b: {} }, required: ["b"] }],
    };
    expect(toolParameters(schema).map(({ name, required }) => [name, required])).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });

  it("ignores keywords whose values are not schemas", () => {
    expect(toolParameters({ properties: [1], required: "a", allOf: 7, anyOf: [1, null] })).toEqual([]);
  });
});

describe("rejectsUnknownArguments", () => {
  it("is true only if the schema is closed", () => {
    expect(rejectsUnknownArguments({ additionalProperties: false })).toBe(true);
    expect(rejectsUnknownArguments({ additionalProperties: false, patternProperties: {} })).toBe(false);
    expect(rejectsUnknownArguments({})).toBe(false);
  });
});

it(
  "toolParameters, allowedTypes and allowedValues are quick for alternatives that refer to each other",
  { meta: { covers: ["A9"] } },
  () => {
    const all = Array.from({ length: 100 }, () => ({ $ref: "#" }));
    const bomb: JsonObject = { anyOf: all, allOf: all, oneOf: all, properties: { x: { $ref: "#" } }, required: ["x"] };
    const startedAt = performance.now();
    expect(toolParameters(bomb).map(({ name }) => name)).toEqual(["x"]);
    expect(allowedTypes(bomb, bomb)).toEqual([]);
    expect(allowedValues(bomb, bomb)).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  },
);
