/** Renders a table of markdown. Cells that don't fit are wrapped within their columns. Pure. */
import type { MarkdownBlock } from "@plugboard/contracts/markdown";
import { plainText, styled } from "../../terminal/text.ts";
import type { StyledText, Text } from "../../terminal/text.ts";
import { textColumns } from "../../terminal/text-width.ts";
import { renderInline } from "./render-inline.ts";
import { wrapText } from "./wrap-text.ts";

type TableBlock = MarkdownBlock & { readonly type: "table" };

const GAP = "  ";
/** Columns keep at least this width if the terminal is wide enough for all of them. */
const MIN_WIDTH = 6;

export function renderMarkdownTable({ rows, alignments }: TableBlock, columns: number): Text[] {
  const cells = rows.map((row) => row.map((cell) => plainText(renderInline(cell))));
  const count = Math.max(...cells.map((row) => row.length));
  const natural = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...cells.map((row) => textColumns(row[column] ?? ""))),
  );
  const widths = fitWidths(natural, columns - GAP.length * (count - 1) - 1);
  return cells.flatMap((row, index): Text[] => {
    const lines = renderRow(row, widths, alignments);
    return index === 0 ? [...lines.map((line) => styled("bold", line)), renderRule(widths)] : lines;
  });
}

function renderRule(widths: readonly number[]): StyledText {
  return styled("dim", widths.map((width) => "─".repeat(width)).join(GAP));
}

/** Makes the widest columns narrower until the table fits. */
function fitWidths(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  const sum = () => widths.reduce((total, width) => total + width, 0);
  for (let excess = sum() - room; excess > 0; excess = sum() - room) {
    const widest = Math.max(...widths);
    // A column has at least one character, even if there is no room for so many columns.
    if (widest <= Math.max(1, Math.min(MIN_WIDTH, Math.floor(room / widths.length)))) break;
    const column = widths.indexOf(widest);
    const next = Math.max(...widths.filter((width) => width < widest), MIN_WIDTH);
    // Approaches the next narrower column, so that the loop is short.
    widths[column] = Math.max(widest - excess, Math.min(next, widest - 1), 1);
  }
  return widths;
}

function renderRow(row: readonly string[], widths: readonly number[], alignments: TableBlock["alignments"]): string[] {
  const wrapped = widths.map((width, column) => wrapText(row[column] ?? "", width, { minColumns: 1 }).map(plainText));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, column) => align(wrapped[column]?.[line] ?? "", width, alignments[column]))
      .join(GAP)
      .trimEnd(),
  );
}

function align(text: string, width: number, alignment: "left" | "right" | "center" | undefined): string {
  const free = Math.max(0, width - textColumns(text));
  const before = alignment === "right" ? free : alignment === "center" ? Math.floor(free / 2) : 0;
  return `${" ".repeat(before)}${text}${" ".repeat(free - before)}`;
}
