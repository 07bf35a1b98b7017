/** Renders rows as aligned columns. Sanitizes each cell to one line. */
import { sanitizeLine } from "@plugboard/contracts";

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows.map((row) => row.map(sanitizeLine))];
  const widths = head.map((_, column) => lines.reduce((most, line) => Math.max(most, width(line[column] ?? "")), 0));
  return lines
    .map((line) => line.map((cell, column) => cell + " ".repeat(widths[column]! - width(cell))).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function width(text: string): number {
  return Array.from(text).length;
}
