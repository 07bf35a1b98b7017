/**
 * Wraps styled text at words, so that every row fits the terminal. Also sanitizes it, because that changes its width.
 * Pure.
 */
import { sanitize } from "@plugboard/contracts";
import { linesOf } from "../../terminal/text.ts";
import type { StyleName, Text } from "../../terminal/text.ts";
import { textColumns } from "../../terminal/text-width.ts";

export interface WrapOptions {
  /** Comes before the first row. */
  readonly first?: Text;
  /** Comes before each further row, also of further lines. By default spaces, as wide as `first`. */
  readonly rest?: Text;
  /** Rows are at least this wide, also on a terminal that is narrower. */
  readonly minColumns?: number;
}

/** Returns the rows without line breaks. An empty text has one empty row. */
export function wrapText(text: Text, columns: number, options: WrapOptions = {}): Text[] {
  const { first = "", rest, minColumns = MIN_COLUMNS } = options;
  const indent = rest ?? " ".repeat(widthOf(first));
  const width = Math.max(minColumns, columns - Math.max(widthOf(first), widthOf(indent)));
  const lines = linesOf(text);
  const rows = (lines.length === 0 ? [""] : lines).flatMap((line) => wrapLine(toCells(line), width));
  return rows.map((row, index) => [index === 0 ? first : indent, ...joinCells(row)]);
}

/** Removes the first `count` visible characters of a row, and all spaces around them. */
export function dropVisible(row: Text, count: number): Text {
  const cells = toCells(row);
  let dropped = 0;
  for (const [index, { character }] of cells.entries()) {
    if (/\s/.test(character)) continue;
    if (dropped === count) return joinCells(cells.slice(index));
    dropped += 1;
  }
  return "";
}

/** Returns the first rows and the number of omitted ones. */
export function limitRows(
  rows: readonly Text[],
  max: number,
): { readonly rows: readonly Text[]; readonly omitted: number } {
  return rows.length <= max ? { rows, omitted: 0 } : { rows: rows.slice(0, max), omitted: rows.length - max };
}

const MIN_COLUMNS = 10;
const TAB = "    ";

interface Cell {
  readonly character: string;
  readonly columns: number;
  readonly style: StyleName | undefined;
}

function toCells(text: Text, style?: StyleName): Cell[] {
  if (typeof text === "string") {
    return Array.from(sanitize(text).replaceAll("\t", TAB), (character) => {
      const columns = isAscii(character) ? 1 : textColumns(character);
      return { character, columns, style };
    });
  }
  return "style" in text ? toCells(text.text, text.style) : text.flatMap((part) => toCells(part, style));
}

function isAscii(character: string): boolean {
  return character.length === 1 && character < "\u007f";
}

/** Breaks at the last space that fits, or within a word that is longer than a row. */
function wrapLine(cells: readonly Cell[], width: number): Cell[][] {
  const rows: Cell[][] = [];
  let start = 0;
  let [used, lastSpace] = [0, -1];
  for (let index = 0; index < cells.length; index++) {
    const { character, columns } = cells[index]!;
    if (used + columns > width) {
      // The space at which a row is broken is not shown.
      const end = character === " " ? index : lastSpace > start ? lastSpace : index;
      rows.push(cells.slice(start, end));
      start = cells[end]?.character === " " ? end + 1 : end;
      used = cells.slice(start, index).reduce((sum, cell) => sum + cell.columns, 0);
      lastSpace = -1;
      // The character was that space.
      if (index < start) continue;
    }
    if (character === " ") lastSpace = index;
    used += columns;
  }
  return [...rows, cells.slice(start)];
}

function joinCells(cells: readonly Cell[]): Text[] {
  const parts: { text: string; readonly style: StyleName | undefined }[] = [];
  for (const { character, style } of cells) {
    const last = parts.at(-1);
    if (last && last.style === style) last.text += character;
    else parts.push({ text: character, style });
  }
  return parts.map(({ text, style }) => (style === undefined ? text : { style, text }));
}

function widthOf(text: Text): number {
  return toCells(text).reduce((sum, { columns }) => sum + columns, 0);
}
