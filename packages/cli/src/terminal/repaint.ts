/**
 * Draws several lines on a terminal and replaces them in place. Each line takes one row, so that the cursor can go back
 * to the first one. Hides the cursor until `end`.
 */
import type { Output } from "./output.ts";
import { plainText } from "./text.ts";
import type { Text } from "./text.ts";
import { fitColumns, textColumns } from "./text-width.ts";

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const ERASE_BELOW = "\u001b[J";
const DEFAULT_ROWS = 24;

export class Repaint {
  readonly #output: Output;
  /** The widths of the lines on the screen. */
  #widths: readonly number[] = [];
  #cursorHidden = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Replaces the lines on the screen. Lines that don't fit are cut or left out. */
  draw(lines: readonly Text[]): void {
    const { stream, columns } = this.#output;
    // One row stays free for the cursor below the lines.
    const shown = limitRows(lines, (stream.rows || DEFAULT_ROWS) - 1).map((line) => fitLine(line, columns - 1));
    const text = shown.map((line) => `${this.#output.render(line)}\n`).join("");
    stream.write(`${this.#cursorHidden ? "" : HIDE_CURSOR}${this.#toFirstLine()}${ERASE_BELOW}${text}`);
    this.#cursorHidden = true;
    this.#widths = shown.map((line) => textColumns(plainText(line)));
  }

  /** Leaves the lines on the screen and shows the cursor again. */
  end(): void {
    if (this.#cursorHidden) this.#output.stream.write(SHOW_CURSOR);
    this.#cursorHidden = false;
    this.#widths = [];
  }

  /** If the terminal has become narrower, it has wrapped the lines, so each may take several rows now. */
  #toFirstLine(): string {
    const { columns } = this.#output;
    const rows = this.#widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return rows === 0 ? "" : `\r\u001b[${rows}A`;
  }
}

function limitRows(lines: readonly Text[], rows: number): readonly Text[] {
  if (lines.length <= rows) return lines;
  return [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more lines`];
}

/** A line that is too wide loses its styles, which is better than a line that wraps. */
function fitLine(line: Text, columns: number): Text {
  const plain = plainText(line);
  return textColumns(plain) <= columns ? line : fitColumns(plain, columns);
}
