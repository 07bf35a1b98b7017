/** Formats values as JSON with the indentation and line endings of an existing file. */
import type { Json } from "@plugboard/contracts";

export interface JsonFormat {
  readonly eol: string;
  readonly indentUnit: string;
}

const MAX_LINE_LENGTH = 100;

/** Uses two spaces and `\n` if the text has no indentation or line ending. */
export function detectFormat(text: string): JsonFormat {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const indentUnit = /(?:^|[\r\n])([ \t]+)["}[{]/.exec(text)?.[1] ?? "  ";
  return { eol, indentUnit };
}

/** Does not indent the first line. Keeps a short list of primitive values on one line. */
export function formatMultiLine(value: Json | undefined, indent: string, format: JsonFormat): string {
  const line = formatSingleLine(value);
  const isShort = indent.length + line.length <= MAX_LINE_LENGTH;
  if (isPrimitive(value) || (Array.isArray(value) && value.every(isPrimitive) && isShort)) return line;
  const inner = indent + format.indentUnit;
  const parts = Array.isArray(value)
    ? value.map((item) => formatMultiLine(item, inner, format))
    : membersOf(value).map(([key, part]) => `${JSON.stringify(key)}: ${formatMultiLine(part, inner, format)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (parts.length === 0) return `${open}${close}`;
  const separator = `${format.eol}${inner}`;
  return `${open}${separator}${parts.join(`,${separator}`)}${format.eol}${indent}${close}`;
}

/** `{ "a": 1, "b": [2, 3] }` */
export function formatSingleLine(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(formatSingleLine).join(", ")}]`;
  if (isPrimitive(value)) return JSON.stringify(value ?? null);
  const parts = membersOf(value).map(([key, part]) => `${JSON.stringify(key)}: ${formatSingleLine(part)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

function membersOf(value: Json | undefined): [string, Json | undefined][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function isPrimitive(value: Json | undefined): boolean {
  return typeof value !== "object" || value === null;
}
