/** How kinds of values, and the values that a schema names, are told of. */
import type { Json } from "@plugboard/contracts";
import { PROBLEMS, WORD_CHARS } from "./limits.ts";

export function wrongType(types: readonly string[], value: Json | undefined): string {
  return `must be ${either(types.map(nameType))}, but is ${kindOf(value)}`;
}

export function oneOfValues(values: readonly Json[]): string {
  const words = values.slice(0, PROBLEMS).map((value) => shorten(JSON.stringify(value)));
  if (values.length === 1) return `must be ${words[0]}`;
  const others = values.length > words.length ? ` and ${values.length - words.length} others` : "";
  return `must be one of ${words.join(", ")}${others}`;
}

export function shorten(text: string): string {
  return text.length > WORD_CHARS ? `${text.slice(0, WORD_CHARS)}…` : text;
}

function kindOf(value: Json | undefined): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return value === undefined ? "missing" : nameType(typeof value);
}

function nameType(type: string): string {
  return TYPES.get(type) ?? type;
}

const TYPES = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["integer", "a whole number"],
  ["boolean", "a boolean"],
  ["array", "a list"],
  ["object", "an object"],
]);

/** `a, b or c` */
function either(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
