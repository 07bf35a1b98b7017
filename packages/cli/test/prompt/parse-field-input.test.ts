import { parseFieldInput } from "#prompt/parse-field-input.js";
import type { FormField, FormValue } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const text = field({ type: "string" });
const number = field({ type: "number", minimum: 0 });
const whole = field({ type: "integer" });
const yesNo = field({ type: "boolean" });
const red = { value: "r", title: "Red" };
const green = { value: "g", title: "Light green" };
const two = { value: "2", title: "Two" };
const one = field({ type: "choice", choices: [red, green] });
const some = field({ type: "choices", choices: [red, green, two], maxItems: 2 });

describe("parseFieldInput", () => {
  it.each<[string, FormField, string, FormValue]>([
    ["text", text, "Ann", "Ann"],
    ["text, without the spaces around it", text, "  Ann Lee ", "Ann Lee"],
    ["text that looks like a number", text, "42", "42"],
    ["empty text", text, '""', ""],
    ["a number", number, "4.5", 4.5],
    ["a number with an exponent", number, "1e3", 1000],
    ["a whole number", whole, "-7", -7],
    ["yes", yesNo, "y", true],
    ["yes in full", yesNo, "Yes", true],
    ["true", yesNo, "TRUE", true],
    ["no", yesNo, "n", false],
    ["no in full", yesNo, "NO", false],
    ["false", yesNo, "false", false],
    ["a choice by its number", one, "2", "g"],
    ["a choice by its value", one, "g", "g"],
    ["a choice by its title", one, "Light green", "g"],
    ["a choice by a value that is also a choice number", some, "2", ["2"]],
    ["several choices", some, "1, Light green", ["r", "g"]],
  ])("accepts %s", (_, asked, typed, value) => {
    expect(parseFieldInput(asked, typed)).toStrictEqual({ value });
  });
});

describe("parseFieldInput with invalid input", () => {
  it.each<[string, FormField, string, string]>([
    ["text for a number", number, "many", "must be a number"],
    ["a number out of bounds", number, "-1", "must be at least 0"],
    ["an infinite number", number, "Infinity", "must be a number"],
    ["a fraction for a whole number", whole, "1.5", "must be a whole number"],
    ["a word for a boolean", yesNo, "maybe", "must be y or n"],
    ["the name of an object property for a boolean", yesNo, "constructor", "must be y or n"],
    ["an unknown choice", one, "blue", "must be one of r, g"],
    ["a number beyond the choices", one, "3", "must be one of r, g"],
    ["the choice number 0", one, "0", "must be one of r, g"],
    ["the same choice twice", some, "1,Red", "has a choice twice"],
    ["too many choices", some, "1,g,Two", "must have at most 2 choices"],
    ["a comma without a choice", some, "1,", "must be a list of r, g, 2"],
    ["text too short", field({ type: "string", minLength: 1 }), '""', "must have at least 1 characters"],
    ["text for a date", field({ type: "string", format: "date" }), "today", "must be a date like 2026-01-31"],
  ])("rejects %s", (_, asked, typed, problem) => {
    expect(parseFieldInput(asked, typed)).toStrictEqual({ problem });
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
    ["a choice", one, "g"],
    ["choices", some, ["r", "2"]],
  ])("uses the default: %s", (_, asked, value) => {
    expect(parseFieldInput({ ...asked, default: value }, typed)).toStrictEqual({ value });
    expect(parseFieldInput({ ...asked, default: value, required: true }, typed)).toStrictEqual({ value });
  });

  it("ignores an invalid default", () => {
    expect(parseFieldInput({ ...number, default: -1 }, typed)).toStrictEqual({ skipped: true });
    expect(parseFieldInput({ ...one, default: "blue", required: true }, typed)).toStrictEqual({
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
