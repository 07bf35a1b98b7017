import { checkFormField } from "@plugboard/contracts";
import type { FormField, FormValue } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const text = field({ type: "string" });
const number = field({ type: "number", minimum: 1, maximum: 3 });
const whole = field({ type: "integer" });
const yesNo = field({ type: "boolean" });
const red = { value: "r", title: "Red" };
const green = { value: "g", title: "Green" };
const blue = { value: "b", title: "Blue" };
const one = field({ type: "choice", choices: [red, green] });
const some = field({ type: "choices", choices: [red, green, blue], minItems: 1, maxItems: 2 });

describe("checkFormField", () => {
  describe("valid value", () => {
    it.each<[string, FormField, FormValue]>([
      ["text", text, ""],
      ["text of minimum length", field({ type: "string", minLength: 2 }), "ab"],
      ["text of maximum length, counted in code points", field({ type: "string", maxLength: 2 }), "😀é"],
      ["a number at the minimum", number, 1],
      ["a number at the maximum", number, 3],
      ["a number within the bounds", number, 2.5],
      ["a whole number", whole, -7],
      ["a boolean", yesNo, false],
      ["a choice", one, "g"],
      ["several choices", some, ["b", "r"]],
      ["the minimum number of choices", some, ["g"]],
      ["an e-mail address", field({ type: "string", format: "email" }), "ann@example.com"],
      ["a URL", field({ type: "string", format: "uri" }), "https://example.com/x"],
      ["a date", field({ type: "string", format: "date" }), "2024-02-29"],
      ["a time", field({ type: "string", format: "date-time" }), "2026-01-31T12:00:00.5+02:00"],
      ["any text in an unknown format", field({ type: "string", format: "colour" }), "red"],
      ["any text in a format named like an object property", field({ type: "string", format: "constructor" }), "red"],
    ])("is accepted: %s", (_, asks, value) => {
      expect(checkFormField(asks, value)).toBeUndefined();
    });
  });

  describe("invalid value", () => {
    it.each<[string, FormField, FormValue, string]>([
      ["a number instead of text", text, 7, "must be text"],
      ["a list instead of text", text, ["a"], "must be text"],
      ["text too short", field({ type: "string", minLength: 2 }), "😀", "must have at least 2 characters"],
      ["text too long", field({ type: "string", maxLength: 1 }), "ab", "must have at most 1 characters"],
      ["text instead of a number", number, "2", "must be a number"],
      ["NaN", number, Number.NaN, "must be a number"],
      ["infinity", whole, Number.POSITIVE_INFINITY, "must be a number"],
      ["a number too small", number, 0.9, "must be at least 1"],
      ["a number too large", number, 3.1, "must be at most 3"],
      ["a fraction instead of an integer", whole, 1.5, "must be a whole number"],
      ["text instead of a boolean", yesNo, "true", "must be true or false"],
      ["an unknown choice", one, "b", "must be one of r, g"],
      ["the title of a choice", one, "Red", "must be one of r, g"],
      ["a list instead of one choice", one, ["r"], "must be one of r, g"],
      ["one choice instead of a list", some, "r", "must be a list of r, g, b"],
      ["a list with an unknown choice", some, ["r", "x"], "must be a list of r, g, b"],
      ["a choice twice", some, ["r", "r"], "has a choice twice"],
      ["too few choices", some, [], "must have at least 1 choices"],
      ["too many choices", some, ["r", "g", "b"], "must have at most 2 choices"],
      [
        "an invalid e-mail address",
        field({ type: "string", format: "email" }),
        "ann at example",
        "must be an e-mail address",
      ],
      ["an invalid URL", field({ type: "string", format: "uri" }), "example", "must be a URL"],
      ["an invalid date", field({ type: "string", format: "date" }), "tomorrow", "must be a date like 2026-01-31"],
      [
        "a month that does not exist",
        field({ type: "string", format: "date" }),
        "2026-13-01",
        "must be a date like 2026-01-31",
      ],
      [
        "a day that does not exist",
        field({ type: "string", format: "date" }),
        "2026-02-30",
        "must be a date like 2026-01-31",
      ],
      [
        "a time instead of a date",
        field({ type: "string", format: "date" }),
        "2026-01-31T12:00:00Z",
        "must be a date like 2026-01-31",
      ],
      [
        "a date instead of a time",
        field({ type: "string", format: "date-time" }),
        "2026-01-31",
        "must be a time like 2026-01-31T12:00:00Z",
      ],
      ...["2026-02-30T12:00:00Z", "2026-01-31T12:00", "2026-01-31T12:00:00", "2026-01-31T12:00:00+25:00"].map(
        (value): [string, FormField, FormValue, string] => [
          `the time ${value}`,
          field({ type: "string", format: "date-time" }),
          value,
          "must be a time like 2026-01-31T12:00:00Z",
        ],
      ),
      [
        "an hour that does not exist",
        field({ type: "string", format: "date-time" }),
        "2026-01-31T25:00:00Z",
        "must be a time like 2026-01-31T12:00:00Z",
      ],
    ])("is rejected: %s", (_, asks, value, reason) => {
      expect(checkFormField(asks, value)).toBe(reason);
    });
  });

  it("rejects a missing value only for a required field", () => {
    expect(checkFormField({ ...text, required: true }, undefined)).toBe("is required");
    expect(checkFormField(text, undefined)).toBeUndefined();
  });
});

type Bare<Field> = Field extends FormField ? Omit<Field, "name" | "required"> : never;

function field(bare: Bare<FormField>): FormField {
  return { name: "f", required: false, ...bare };
}
