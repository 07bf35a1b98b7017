/** Describes expected types and values in plain words. */
import { describeTypes } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";
import { MAX_PROBLEMS, MAX_WORD_CHARS } from "./check-limits.ts";

export function describeTypeMismatch(types: readonly string[], value: Json | undefined): string {
  return `must be ${describeTypes(types)}, but is ${describeKind(value)}`;
}

export function describeAllowedValues(values: readonly Json[]): string {
  const words = values.slice(0, MAX_PROBLEMS).map((value) => truncateWord(JSON.stringify(value)));
  if (values.length === 1) return `must be ${words[0]}`;
  const others = values.length > words.length ? ` and ${values.length - words.length} others` : "";
  return `must be one of ${words.join(", ")}${others}`;
}

export function truncateWord(text: string): string {
  return text.length > MAX_WORD_CHARS ? `${text.slice(0, MAX_WORD_CHARS)}…` : text;
}

function describeKind(value: Json | undefined): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return value === undefined ? "missing" : describeTypes([typeof value]);
}
