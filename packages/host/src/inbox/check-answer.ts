/** Whether an answer fits its question; the reason why not is for the person who answered. */
import type { Answer, FormField, FormValue, Json, Question } from "@plugboard/contracts";

export function checkAnswer(question: Question, answer: Answer): string | undefined {
  if (answer.type !== question.type) return `it asks for ${question.type}, not ${answer.type}`;
  if (answer.type !== "elicitation" || answer.action !== "accept" || question.type !== "elicitation") return undefined;
  const { elicitation } = question;
  if (elicitation.mode === "url") return answer.content ? "a URL is agreed to without content" : undefined;
  const content = answer.content ?? {};
  const unknown = Object.keys(content).find((name) => !elicitation.fields.some((field) => field.name === name));
  if (unknown !== undefined) return `there is no field "${unknown}"`;
  for (const field of elicitation.fields) {
    const wrong = checkField(field, content[field.name]);
    if (wrong) return `"${field.name}" ${wrong}`;
  }
  return undefined;
}

/** What is wrong with a value, as the end of a sentence that begins with the field's name. */
export function checkField(field: FormField, value: FormValue | undefined): string | undefined {
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
      return isOneOf(field, value) ? undefined : `must be one of ${list(field)}`;
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
  if (field.minLength !== undefined && length < field.minLength) return `needs at least ${field.minLength} characters`;
  if (field.maxLength !== undefined && length > field.maxLength)
    return `may have at most ${field.maxLength} characters`;
  const format = FORMATS[field.format ?? ""];
  return !format || format.fits(value) ? undefined : `must be ${format.name}`;
}

function checkChoices(field: Field<"choices">, value: Json): string | undefined {
  if (!Array.isArray(value) || !value.every((item) => isOneOf(field, item))) return `takes any of ${list(field)}`;
  if (new Set(value).size !== value.length) return "names a choice twice";
  if (field.minItems !== undefined && value.length < field.minItems) return `needs at least ${field.minItems} choices`;
  if (field.maxItems !== undefined && value.length > field.maxItems) return `takes at most ${field.maxItems} choices`;
  return undefined;
}

function isOneOf(field: Field<"choice" | "choices">, value: Json): boolean {
  return field.choices.some((choice) => choice.value === value);
}

function list(field: Field<"choice" | "choices">): string {
  return field.choices.map((choice) => choice.value).join(", ");
}

const FORMATS: { readonly [format: string]: { readonly name: string; fits(text: string): boolean } } = {
  email: { name: "an e-mail address", fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { name: "a URL", fits: (text) => URL.canParse(text) },
  date: { name: "a date like 2026-01-31", fits: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDate(text) },
  "date-time": {
    name: "a time like 2026-01-31T12:00:00Z",
    fits: (text) => /^\d{4}-\d{2}-\d{2}T/.test(text) && isDate(text),
  },
};

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
