/** Renders the text that the user edits, with the place of the cursor. Pure. */
import { sanitizeLine } from "@plugboard/contracts";
import { plainText, styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { fitColumns, textColumns } from "../../terminal/text-width.ts";
import type { Completions } from "../input/complete-input.ts";
import type { Editor } from "../input/editor.ts";
import { wrapText } from "../text/wrap-text.ts";

export interface RenderedInput {
  readonly rows: readonly Text[];
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface InputOptions {
  readonly columns: number;
  readonly maxRows: number;
  /** Comes before the text. */
  readonly prompt?: string;
  /** Shown while the text is empty. */
  readonly placeholder?: string;
}

/** Shows only the part of a long text around the cursor. */
export function renderInput({ text, cursor }: Editor, options: InputOptions): RenderedInput {
  const { columns, maxRows, prompt = "› ", placeholder = "" } = options;
  const first = styled("cyan", prompt);
  const indent = textColumns(prompt);
  if (text === "") {
    const hint = fitColumns(placeholder, columns - indent - 1);
    return { rows: [[first, styled("dim", hint)]], cursor: { row: 0, column: indent } };
  }
  // Wraps only the part that can be visible, because wrapping a very long text at each key takes long.
  const window = visiblePart(text, cursor, columns * (maxRows + 1));
  const rows = wrapInput(window.text, columns, first, indent);
  const place = cursorPlace(wrapInput(window.text.slice(0, window.cursor), columns, first, indent));
  const start = Math.min(Math.max(0, place.row - maxRows + 1), Math.max(0, rows.length - maxRows));
  const shown = rows.slice(start, start + maxRows);
  const isCut = window.isCut || shown.length < rows.length;
  const note = isCut ? [styled("dim", `${" ".repeat(indent)}… ${text.length} characters in all`)] : [];
  return { rows: [...shown, ...note], cursor: { row: place.row - start, column: place.column } };
}

/** Breaks rows at any character, so that the cursor has one place for each index of the text. */
function wrapInput(text: string, columns: number, first: Text, indent: number): Text[] {
  // A no-break space is as wide as a space, but no row is broken there.
  const lines = text.split("\n").map((line) => line.replaceAll(" ", "\u00a0"));
  const rows = lines.flatMap((line) => wrapText(line, columns - 1, { first: " ".repeat(indent) }));
  return rows.map((row, index) => {
    const content = plainText(row).slice(indent).replaceAll("\u00a0", " ");
    return [index === 0 ? first : " ".repeat(indent), content];
  });
}

function cursorPlace(rows: readonly Text[]): { row: number; column: number } {
  return { row: rows.length - 1, column: textColumns(plainText(rows.at(-1) ?? "")) };
}

function visiblePart(text: string, cursor: number, size: number): { text: string; cursor: number; isCut: boolean } {
  if (text.length <= size * 2) return { text, cursor, isCut: false };
  const start = Math.max(0, cursor - size);
  return { text: text.slice(start, cursor + size), cursor: cursor - start, isCut: true };
}

const MAX_SUGGESTION_ROWS = 8;
const MAX_VALUE_COLUMNS = 32;

/** Shows the suggestions around the selected one, with their descriptions in a column. */
export function renderSuggestions({ suggestions }: Completions, selected: number, columns: number): Text[] {
  const last = Math.max(0, suggestions.length - MAX_SUGGESTION_ROWS);
  const first = Math.min(Math.max(0, selected - MAX_SUGGESTION_ROWS + 2), last);
  const shown = suggestions.slice(first, first + MAX_SUGGESTION_ROWS);
  const values = shown.map(({ value }) => sanitizeLine(value));
  const width = Math.min(MAX_VALUE_COLUMNS, Math.max(...values.map(textColumns)));
  const rows = shown.map(({ about = "" }, index) => {
    const isSelected = first + index === selected;
    const value = values[index]!;
    const padding = " ".repeat(Math.max(0, width - textColumns(value)));
    const line = `${isSelected ? "❯ " : "  "}${value}${padding}  ${sanitizeLine(about)}`.trimEnd();
    return styled(isSelected ? "cyan" : "dim", fitColumns(line, columns - 1));
  });
  const more = suggestions.length - first - shown.length;
  return more > 0 ? [...rows, styled("dim", `  … ${more} more (↓)`)] : rows;
}
