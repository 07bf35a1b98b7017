import { parameterField } from "#prompt/parameter-field.js";
import type { FormField, JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const choices = [
  { value: "a", title: "a" },
  { value: "b", title: "b" },
];

describe("parameterField", () => {
  it.each<[string, JsonObject, Partial<FormField>]>([
    [
      "text",
      { type: "string", minLength: 2, title: "T", description: "D" },
      { type: "string", minLength: 2, title: "T", description: "D" },
    ],
    ["a number", { type: "number", minimum: 1, maximum: 9 }, { type: "number", minimum: 1, maximum: 9 }],
    [
      "an optional whole number as Python servers describe it",
      { anyOf: [{ type: "integer" }, { type: "null" }], default: 7 },
      { type: "integer", default: 7 },
    ],
    ["a boolean", { type: "boolean" }, { type: "boolean" }],
    ["a choice", { enum: ["a", "b"] }, { type: "choice", choices }],
    ["a choice behind a reference", { $ref: "#/$defs/ab" }, { type: "choice", choices }],
    ["a choice of constants", { oneOf: [{ const: "a" }, { const: "b" }] }, { type: "choice", choices }],
    ["a list of choices", { type: "array", items: { $ref: "#/$defs/ab" } }, { type: "choices", choices }],
    [
      "a list",
      { type: "array", items: { type: "string" } },
      { type: "string", description: "one element, or a list as JSON: string[]" },
    ],
    ["an object", { type: "object", description: "D" }, { type: "string", description: "D\nJSON: object" }],
    ["a choice of numbers", { enum: [1, 2] }, { type: "number" }],
    ["anything", {}, { type: "string", description: "text or JSON: unknown" }],
    [
      "text or a number",
      { type: ["number", "string"] },
      { type: "string", description: "text or JSON: number | string" },
    ],
  ])("asks for %s", (_, schema, field) => {
    const root = { $defs: { ab: { enum: ["a", "b"] } } };
    expect(parameterField({ name: "x", schema }, root)).toMatchObject({ name: "x", required: true, ...field });
  });
});
