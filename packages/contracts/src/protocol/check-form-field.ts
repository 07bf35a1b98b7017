/** Checks the value that a person gives to a field of a form. Pure. */
import type { Json } from "../lib/json.ts";
import { parseUrl } from "../lib/parse-url.ts";
import type { FormField, FormValue } from "./elicitation.ts";

/** Returns the problem of a value as a phrase that follows the field's name, or undefined for a valid value. */
export function checkFormField(field: FormField, value: FormValue | undefined): string | undefined {
  if (value === undefined) return field.required ? "is required" : undefined;
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "number":
    case "integer":
      return checkNumber(field, value);
    case "string":
      return checkText(field, value);
    case "choice":
      return isOneOf(field, value) ? undefined : `must be one of ${listChoices(field)}`;
    case "choices":
      return checkChoices(field, value);
  }
}

type Field<Type extends FormField["type"]> = Extract<FormField, { type: Type }>;

function checkNumber(field: Field<"number" | "integer">, value: Json): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (field.type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (field.minimum !== undefined && value < field.minimum) return `must be at least ${field.minimum}`;
  if (field.maximum !== undefined && value > field.maximum) return `must be at most ${field.maximum}`;
  return undefined;
}

function checkText(field: Field<"string">, value: Json): string | undefined {
  if (typeof value !== "string") return "must be text";
  const length = Array.from(value).length;
  if (field.minLength !== undefined && length < field.minLength)
    return `must have at least ${field.minLength} characters`;
  if (field.maxLength !== undefined && length > field.maxLength)
    return `must have at most ${field.maxLength} characters`;
  const format = FORMATS.get(field.format ?? "");
  return !format || format.matches(value) ? undefined : `must be ${format.name}`;
}

function checkChoices(field: Field<"choices">, value: Json): string | undefined {
  if (!Array.isArray(value) || !value.every((item) => isOneOf(field, item)))
    return `must be a list of ${listChoices(field)}`;
  if (new Set(value).size !== value.length) return "has a choice twice";
  if (field.minItems !== undefined && value.length < field.minItems)
    return `must have at least ${field.minItems} choices`;
  if (field.maxItems !== undefined && value.length > field.maxItems)
    return `must have at most ${field.maxItems} choices`;
  return undefined;
}

function isOneOf(field: Field<"choice" | "choices">, value: Json): boolean {
  return field.choices.some((choice) => choice.value === value);
}

function listChoices(field: Field<"choice" | "choices">): string {
  return field.choices.map((choice) => choice.value).join(", ");
}

interface Format {
  readonly name: string;
  matches(text: string): boolean;
}

const FORMATS = new Map<string, Format>([
  ["email", { name: "an e-mail address", matches: (text) => /^[^\s@]+@[^\s@]+$/.test(text) }],
  ["uri", { name: "a URL", matches: (text) => parseUrl(text) !== undefined }],
  ["date", { name: "a date like 2026-01-31", matches: isDate }],
  ["date-time", { name: "a time like 2026-01-31T12:00:00Z", matches: isDateTime }],
]);

/** Rejects 30 February, which `Date` parses as 2 March. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [, date, time] = /^([^T]*)T(.*)$/i.exec(text) ?? [];
  return date !== undefined && time !== undefined && isDate(date) && TIME.test(time);
}

/** A time of RFC 3339, with seconds and an offset. */
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
