/** Renders rows as aligned columns. Sanitizes each cell to one line. */
import { sanitizeLine } from "@plugboard/contracts";
import { plainText } from "../terminal/text.ts";
import type { StyledText, Text } from "../terminal/text.ts";
import { fitColumns, textColumns } from "../terminal/text-width.ts";

export type Cell = string | StyledText;

export interface TableOptions {
  /** The width of the terminal, by default unlimited. A row that is too wide without optional columns is cut. */
  readonly columns?: number;
  /** The titles of columns that are left out if the table is too wide, in this order. */
  readonly optional?: readonly string[];
  /** The least width of columns by title, for rows that are not known yet. */
  readonly minWidths?: { readonly [title: string]: number };
}

/** A table that is written row by row. Each text ends with a line break. */
export interface Table {
  readonly head: Text;
  row(cells: readonly Cell[]): Text;
}

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = layOutTable(head, rows);
  return plainText([table.head, ...rows.map((row) => table.row(row))]);
}

/** Computes the layout from the rows. Other rows can be written with it too. */
export function layOutTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { columns = Infinity, optional = [], minWidths = {} }: TableOptions = {},
): Table {
  const widths = head.map((title, column) =>
    rows.reduce(
      (most, row) => Math.max(most, textColumns(cellText(row[column]))),
      Math.max(title.length, minWidths[title] ?? 0),
    ),
  );
  const shown = shownColumns(head, widths, optional, columns - 1);
  const render = (cells: readonly Cell[]): Text => {
    const padded = shown.map((column, index): Text => {
      const cell = cells[column] ?? "";
      const text = cellText(cell);
      const isLast = index === shown.length - 1;
      const padding = isLast ? "" : " ".repeat(Math.max(0, widths[column]! - textColumns(text)) + GAP);
      return [typeof cell === "string" ? text : { ...cell, text }, padding];
    });
    const plain = plainText(padded).trimEnd();
    // A row that is too wide loses its styles, which is better than a row that wraps.
    if (textColumns(plain) > columns - 1) return `${fitColumns(plain, columns - 1)}\n`;
    // Spaces before an empty last cell are left out.
    return cellText(cells[shown.at(-1)!]) === "" ? `${plain}\n` : [...padded, "\n"];
  };
  return { head: render(head), row: render };
}

const GAP = 2;

function cellText(cell: Cell | undefined): string {
  return sanitizeLine(plainText(cell ?? ""));
}

/** Returns the indexes of the columns that fit. */
function shownColumns(
  head: readonly string[],
  widths: readonly number[],
  optional: readonly string[],
  columns: number,
): number[] {
  let shown = head.map((_, index) => index);
  const width = () => shown.reduce((sum, column) => sum + widths[column]! + GAP, -GAP);
  for (const title of optional) {
    if (width() <= columns) break;
    shown = shown.filter((column) => head[column] !== title);
  }
  return shown;
}
