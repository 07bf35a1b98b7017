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

describe("what is typed is the value:", () => {
  it.each<[string, FormField, string, FormValue]>([
    ["text", text, "Ann", "Ann"],
    ["text without the space around it", text, "  Ann Lee ", "Ann Lee"],
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
    ["a choice whose value is a number, before its number", some, "2", ["2"]],
    ["some choices", some, "1, Light green", ["r", "g"]],
  ])("%s", (_, asked, typed, value) => {
    expect(parseFieldInput(asked, typed)).toStrictEqual({ value });
  });
});

describe("what does not fit is said:", () => {
  it.each<[string, FormField, string, string]>([
    ["no number", number, "many", "must be a number"],
    ["a number out of bounds", number, "-1", "must be at least 0"],
    ["a number without an end", number, "Infinity", "must be a number"],
    ["a part of a whole number", whole, "1.5", "must be a whole number"],
    ["neither yes nor no", yesNo, "maybe", "is a yes or no: answer y or n"],
    ["neither yes nor no, but a word that objects know", yesNo, "constructor", "is a yes or no: answer y or n"],
    ["a choice that is none", one, "blue", "must be one of r, g"],
    ["a number beyond the choices", one, "3", "must be one of r, g"],
    ["the number before the first", one, "0", "must be one of r, g"],
    ["a choice twice", some, "1,Red", "names a choice twice"],
    ["too many choices", some, "1,g,Two", "takes at most 2 choices"],
    ["a comma without a choice", some, "1,", "takes any of r, g, 2"],
    ["text too short", field({ type: "string", minLength: 1 }), '""', "needs at least 1 characters"],
    ["no date", field({ type: "string", format: "date" }), "today", "must be a date like 2026-01-31"],
  ])("%s", (_, asked, typed, wrong) => {
    expect(parseFieldInput(asked, typed)).toStrictEqual({ wrong });
  });
});

describe.each(["", "   "])("nothing typed (%j)", (typed) => {
  it("leaves an optional field out", () => {
    expect(parseFieldInput(text, typed)).toStrictEqual({ left: "out" });
  });

  it("is not enough for a required field", () => {
    expect(parseFieldInput({ ...text, required: true }, typed)).toStrictEqual({ wrong: "is required" });
  });

  it.each<[string, FormField, FormValue]>([
    ["text", text, "Ann"],
    ["empty text", text, ""],
    ["a number", number, 0],
    ["no", yesNo, false],
    ["a choice", one, "g"],
    ["choices", some, ["r", "2"]],
  ])("takes the default: %s", (_, asked, value) => {
    expect(parseFieldInput({ ...asked, default: value }, typed)).toStrictEqual({ value });
    expect(parseFieldInput({ ...asked, default: value, required: true }, typed)).toStrictEqual({ value });
  });

  it("does not take a default that would not fit", () => {
    expect(parseFieldInput({ ...number, default: -1 }, typed)).toStrictEqual({ left: "out" });
    expect(parseFieldInput({ ...one, default: "blue", required: true }, typed)).toStrictEqual({ wrong: "is required" });
    expect(parseFieldInput({ ...text, default: null }, typed)).toStrictEqual({ left: "out" });
  });
});

it("what is typed goes before the default", () => {
  expect(parseFieldInput({ ...text, default: "Ann" }, "Bob")).toStrictEqual({ value: "Bob" });
});

type Bare<Field> = Field extends FormField ? Omit<Field, "name" | "required"> : never;

function field(bare: Bare<FormField>): FormField {
  return { name: "f", required: false, ...bare };
}
