/**
 * The terminal as the chat uses it: rows that are printed for good, and a frame below them that is redrawn. All text
 * becomes terminal text in `Output.render`, which sanitizes it.
 *
 * A terminal that is resized moves rows before the chat knows it. It keeps the row of the cursor on the screen, drops
 * the rows below it, moves rows at the top into its scrollback, and breaks rows that have become too long. So the frame
 * is erased from its first row that is still on the screen, as counted from the cursor.
 */
import type { Env } from "@plugboard/contracts";
import type { Output } from "../../terminal/output.ts";
import { plainText } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { textColumns } from "../../terminal/text-width.ts";
import { wrapText } from "../text/wrap-text.ts";

export interface Frame {
  readonly rows: readonly Text[];
  /** Where the cursor is shown. */
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Reads the size of the terminal again. The signal of a resize can arrive after a key that was pressed later. */
  updateSize(): void;
  /** Prints rows for good, above the frame, when the frame is drawn the next time. Wraps rows that are too wide. */
  print(rows: readonly Text[]): void;
  /** Replaces the frame. Leaves out the upper rows of a frame that is higher than the terminal. */
  draw(frame: Frame): void;
  /** Returns how many rows of the frame, from its first one, a smaller terminal has moved into its scrollback. */
  countScrolledRows(): number;
  /** Removes the frame until it is drawn again. */
  hide(): void;
}

const DEFAULT_ROWS = 24;

export function openScreen(output: Output, env: Env): Screen {
  const { stream } = output;
  const breaksRows = breaksLongRows(env);
  /** The rows to print with the next draw. */
  let added: Text[] = [];
  let shown: Frame = NO_FRAME;
  /** The size and the text of the last draw, so that an equal draw is skipped. */
  let written = "";
  /** The present heights of the rows above the cursor. */
  const heightsAbove = () =>
    shown.rows.slice(0, shown.cursor.row).map((row) => (breaksRows ? countRows(row, output.columns) : 1));
  const show = (frame: Frame) => {
    const printed = added.map((row) => `${output.render(row)}\n`).join("");
    const drawn = `${renderRows(frame, output)}${END}`;
    const key = `${screen.columns} ${screen.rows} ${drawn}`;
    if (printed === "" && key === written) return;
    stream.write(`${BEGIN}\r${moveCursor(sum(heightsAbove()), "A")}${ERASE_BELOW}${printed}${drawn}`);
    [added, shown, written] = [[], frame, key];
  };
  const screen: Screen = {
    get columns() {
      return output.columns;
    },
    get rows() {
      return stream.rows || DEFAULT_ROWS;
    },
    updateSize() {
      // Node does not document `_refreshSize`. It emits "resize" if the size has changed.
      (stream as { _refreshSize?: () => void })._refreshSize?.();
    },
    print(rows) {
      for (const row of rows)
        added.push(...(countRows(row, output.columns) > 1 ? wrapText(row, output.columns) : [row]));
    },
    draw(frame) {
      show(fitHeight(frame, screen.rows));
    },
    countScrolledRows() {
      const heights = heightsAbove();
      const scrolled = sum(heights) - (screen.rows - 1);
      return heights.filter((_, index) => sum(heights.slice(0, index + 1)) <= scrolled).length;
    },
    hide() {
      show(NO_FRAME);
    },
  };
  return screen;
}

const NO_FRAME: Frame = { rows: [], cursor: { row: 0, column: 0 } };
/** Terminals that support synchronized updates show what is written between these two sequences at once. */
const [BEGIN, END] = ["\u001b[?2026h\u001b[?25l", "\u001b[?25h\u001b[?2026l"];
/** Erases the row first, and then from its second column on: tmux saves a screen that is erased from its first cell. */
const ERASE_BELOW = "\u001b[K\u001b[C\u001b[J\r";

function renderRows({ rows, cursor }: Frame, output: Output): string {
  const up = Math.max(0, rows.length - 1 - cursor.row);
  const text = rows.map((row) => output.render(row)).join("\n");
  return `${text}\r${moveCursor(up, "A")}${moveCursor(cursor.column, "C")}`;
}

/** Keeps the row of the cursor, and the last rows if possible. */
function fitHeight({ rows, cursor }: Frame, height: number): Frame {
  const first = Math.max(0, Math.min(cursor.row, rows.length - height));
  const fitted = rows.slice(first, first + height);
  return { rows: fitted, cursor: { ...cursor, row: cursor.row - first } };
}

function moveCursor(count: number, direction: "A" | "C"): string {
  return count > 0 ? `\u001b[${count}${direction}` : "";
}

/** Most terminals break a row that has become too long. The Linux console, screen and xterm cut it off. */
function breaksLongRows({ TERM, XTERM_VERSION, TMUX, STY }: Env): boolean {
  return TERM !== "linux" && STY === undefined && (XTERM_VERSION === undefined || TMUX !== undefined);
}

function countRows(row: Text, columns: number): number {
  return Math.max(1, Math.ceil(textColumns(plainText(row)) / columns));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
