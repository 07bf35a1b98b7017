/** Converts the text typed for a form field to the field's value. Pure. */
import type { FormField, FormValue } from "@plugboard/contracts";
import { checkFormField } from "@plugboard/contracts";
import { findNumberLoss } from "../arguments/find-json-loss.ts";

export type FieldInput =
  | { readonly value: FormValue }
  | { readonly skipped: true }
  /** Follows the field's name in a sentence, such as "is required". */
  | { readonly problem: string };

/** Empty input selects the default, or skips an optional field. The input `""` is an empty text. */
export function parseFieldInput(field: FormField, typed: string): FieldInput {
  const text = typed.trim();
  if (text === "") {
    const defaultValue = field.default as FormValue | undefined;
    if (defaultValue !== undefined && checkFormField(field, defaultValue) === undefined) return { value: defaultValue };
    return field.required ? { problem: "is required" } : { skipped: true };
  }
  const isNumber = (field.type === "number" || field.type === "integer") && /^-?\d/.test(text);
  const loss = isNumber && !Number.isNaN(Number(text)) ? findNumberLoss(text) : undefined;
  if (loss !== undefined) return { problem: `is invalid: ${loss}` };
  const value = convert(field, text);
  const problem = checkFormField(field, value);
  if (problem === undefined) return { value };
  return { problem: field.type === "boolean" ? "must be y or n" : problem };
}

function convert(field: FormField, text: string): FormValue {
  switch (field.type) {
    case "boolean":
      return BOOLEANS.get(text.toLowerCase()) ?? text;
    case "number":
    case "integer":
      return Number(text);
    case "string":
      return text === '""' ? "" : text;
    case "choice":
      return resolveChoice(field.choices, text);
    case "choices":
      return text.split(",").map((part) => resolveChoice(field.choices, part.trim()));
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["y", true],
  ["yes", true],
  ["true", true],
  ["n", false],
  ["no", false],
  ["false", false],
]);

/** Finds a choice by value, by title, or by its number in the list. Returns the text if there is none. */
function resolveChoice(choices: readonly { readonly value: string; readonly title: string }[], text: string): string {
  const exact = choices.find((choice) => choice.value === text || choice.title === text);
  return (exact ?? choices[Number(text) - 1])?.value ?? text;
}
