import { parseFieldInput } from "#prompt/parse-field-input.js";
import type { FormField, FormValue } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const text = field({ type: "string" });
const number = field({ type: "number", minimum: 0 });
const integer = field({ type: "integer" });
const yesNo = field({ type: "boolean" });
const red = { value: "r", title: "Red" };
const green = { value: "g", title: "Light green" };
const two = { value: "2", title: "Two" };
const oneChoice = field({ type: "choice", choices: [red, green] });
const severalChoices = field({ type: "choices", choices: [red, green, two], maxItems: 2 });

describe("parseFieldInput", () => {
  it.each<[string, FormField, string, FormValue]>([
    ["text", text, "Ann", "Ann"],
    ["text, without the spaces around it", text, "  Ann Lee ", "Ann Lee"],
    ["text that looks like a number", text, "42", "42"],
    ["empty text", text, '""', ""],
    ["a number", number, "4.5", 4.5],
    ["a number with an exponent", number, "1e3", 1000],
    ["a whole number", integer, "-7", -7],
    ["yes", yesNo, "y", true],
    ["yes in full", yesNo, "Yes", true],
    ["true", yesNo, "TRUE", true],
    ["no", yesNo, "n", false],
    ["no in full", yesNo, "NO", false],
    ["false", yesNo, "false", false],
    ["a choice by its number", oneChoice, "2", "g"],
    ["a choice by its value", oneChoice, "g", "g"],
    ["a choice by its title", oneChoice, "Light green", "g"],
    ["a choice by a value that is also a choice number", severalChoices, "2", ["2"]],
    ["several choices", severalChoices, "1, Light green", ["r", "g"]],
  ])("accepts %s", (_, formField, typed, value) => {
    expect(parseFieldInput(formField, typed)).toStrictEqual({ value });
  });
});

describe("parseFieldInput with invalid input", () => {
  it.each<[string, FormField, string, string]>([
    ["text for a number", number, "many", "must be a number"],
    ["a number out of bounds", number, "-1", "must be at least 0"],
    ["an infinite number", number, "Infinity", "must be a number"],
    [
      "a number that is too large",
      integer,
      "12345678901234567890",
      "is invalid: the number 12345678901234567890 is too large to be sent exactly",
    ],
    ["a fraction for a whole number", integer, "1.5", "must be a whole number"],
    ["a word for a boolean", yesNo, "maybe", "must be y or n"],
    ["the name of an object property for a boolean", yesNo, "constructor", "must be y or n"],
    ["an unknown choice", oneChoice, "blue", "must be one of r, g"],
    ["a number beyond the choices", oneChoice, "3", "must be one of r, g"],
    ["the choice number 0", oneChoice, "0", "must be one of r, g"],
    ["the same choice twice", severalChoices, "1,Red", "has a choice twice"],
    ["too many choices", severalChoices, "1,g,Two", "must have at most 2 choices"],
    ["a comma without a choice", severalChoices, "1,", "must be a list of r, g, 2"],
    ["text too short", field({ type: "string", minLength: 1 }), '""', "must have at least 1 characters"],
    ["text for a date", field({ type: "string", format: "date" }), "today", "must be a date like 2026-01-31"],
  ])("rejects %s", (_, formField, typed, problem) => {
    expect(parseFieldInput(formField, typed)).toStrictEqual({ problem });
  });
});

describe.each(["", "   "])("parseFieldInput with empty input (%j)", (typed) => {
  it("skips an optional field", () => {
    expect(parseFieldInput(text, typed)).toStrictEqual({ skipped: true });
  });

  it("rejects a required field", () => {
    expect(parseFieldInput({ ...text, required: true }, typed)).toStrictEqual({ problem: "is required" });
  });

  it.each<[string, FormField, FormValue]>([
    ["text", text, "Ann"],
    ["empty text", text, ""],
    ["a number", number, 0],
    ["no", yesNo, false],
    ["a choice", oneChoice, "g"],
    ["choices", severalChoices, ["r", "2"]],
  ])("uses the default value of a field: %s", (_, formField, value) => {
    expect(parseFieldInput({ ...formField, default: value }, typed)).toStrictEqual({ value });
    expect(parseFieldInput({ ...formField, default: value, required: true }, typed)).toStrictEqual({ value });
  });

  it("ignores an invalid default", () => {
    expect(parseFieldInput({ ...number, default: -1 }, typed)).toStrictEqual({ skipped: true });
    expect(parseFieldInput({ ...oneChoice, default: "blue", required: true }, typed)).toStrictEqual({
      problem: "is required",
    });
    expect(parseFieldInput({ ...text, default: null }, typed)).toStrictEqual({ skipped: true });
  });
});

it("parseFieldInput prefers the input to the default", () => {
  expect(parseFieldInput({ ...text, default: "Ann" }, "Bob")).toStrictEqual({ value: "Bob" });
});

type Bare<Field> = Field extends FormField ? Omit<Field, "name" | "required"> : never;

function field(bare: Bare<FormField>): FormField {
  return { name: "f", required: false, ...bare };
}
