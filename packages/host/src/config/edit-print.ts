/** Values as JSON text in the manner of a file: its indentation, its line ends. */
import type { Json } from "@plugboard/contracts";

export interface Manner {
  readonly eol: string;
  readonly unit: string;
}

const LONGEST_LINE = 100;

/** How a text is written, as far as it tells. */
export function mannerOf(text: string): Manner {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const unit = /(?:^|[\r\n])([ \t]+)["}[{]/.exec(text)?.[1] ?? "  ";
  return { eol, unit };
}

/** In lines, the first of which is indented by whoever writes it; lists of plain values stay in one while they are short. */
export function printLines(value: Json | undefined, indent: string, manner: Manner): string {
  const line = printLine(value);
  const isShort = indent.length + line.length <= LONGEST_LINE;
  if (isPlain(value) || (Array.isArray(value) && value.every(isPlain) && isShort)) return line;
  const inner = indent + manner.unit;
  const parts = Array.isArray(value)
    ? value.map((item) => printLines(item, inner, manner))
    : membersOf(value).map(([key, part]) => `${JSON.stringify(key)}: ${printLines(part, inner, manner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (parts.length === 0) return `${open}${close}`;
  const between = `${manner.eol}${inner}`;
  return `${open}${between}${parts.join(`,${between}`)}${manner.eol}${indent}${close}`;
}

/** `{ "a": 1, "b": [2, 3] }` */
export function printLine(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(printLine).join(", ")}]`;
  if (isPlain(value)) return JSON.stringify(value ?? null);
  const parts = membersOf(value).map(([key, part]) => `${JSON.stringify(key)}: ${printLine(part)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

function membersOf(value: Json | undefined): [string, Json | undefined][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function isPlain(value: Json | undefined): boolean {
  return typeof value !== "object" || value === null;
}
