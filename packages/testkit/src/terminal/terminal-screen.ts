/**
 * Interprets the output of a program as a terminal does: what a person sees on the screen, and what has scrolled off.
 */
import xterm from "@xterm/headless";
import type { IBufferCell } from "@xterm/headless";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Neighbouring characters with the same look. */
export interface ScreenSpan {
  readonly text: string;
  /** The number of columns, which differs from the length for wide characters. */
  readonly columns: number;
  /** An index of the 16 colours. Undefined for the default colour. */
  readonly color: number | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
}

export class TerminalScreen {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  readonly #listeners = new Set<() => void>();

  constructor({ columns, rows }: ScreenSize) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  }

  /** Calls `interpreted` when the rows contain the output. */
  write(output: string, interpreted: () => void = () => {}): void {
    this.#terminal.write(output, () => {
      interpreted();
      for (const listener of [...this.#listeners]) listener();
    });
  }

  resize({ columns, rows }: ScreenSize): void {
    this.#terminal.resize(columns, rows);
  }

  /** Calls the listener whenever the screen may have changed. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The rows on the screen, without spaces at their ends. */
  get rows(): string[] {
    return this.#read(this.#terminal.buffer.active.viewportY);
  }

  /** Resolves with the rows that have scrolled off the screen and those on it, when all output is interpreted. */
  allRows(): Promise<string[]> {
    return new Promise((resolve) => this.#terminal.write("", () => resolve(this.#read(0))));
  }

  /** Like `allRows`, but joins the rows into which the terminal has broken a longer line. */
  async allLines(): Promise<string[]> {
    const rows = await this.allRows();
    const { active } = this.#terminal.buffer;
    return rows.reduce<string[]>((lines, row, index) => {
      if (active.getLine(index)?.isWrapped) return [...lines.slice(0, -1), `${lines.at(-1) ?? ""}${row}`];
      return [...lines, row];
    }, []);
  }

  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  /** Returns the rows on the screen with their looks. */
  spans(): ScreenSpan[][] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, row) => {
      const line = active.getLine(active.viewportY + row);
      const cells = Array.from({ length: this.#terminal.cols }, (__, column) => line?.getCell(column));
      return joinCells(cells.filter((cell) => cell !== undefined));
    });
  }

  #read(first: number): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: active.length - first }, (_, row) =>
      (active.getLine(first + row)?.translateToString(true) ?? "").trimEnd(),
    );
  }
}

function joinCells(cells: readonly IBufferCell[]): ScreenSpan[] {
  const spans: ScreenSpan[] = [];
  for (const cell of cells) {
    // The second column of a wide character has no cell of its own.
    if (cell.getWidth() === 0) continue;
    const look = {
      color: cell.isFgPalette() ? cell.getFgColor() : undefined,
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
      italic: cell.isItalic() !== 0,
    };
    const text = cell.getChars() || " ";
    const last = spans.at(-1);
    if (last && hasLook(last, look))
      spans.splice(-1, 1, { ...last, text: last.text + text, columns: last.columns + cell.getWidth() });
    else spans.push({ text, columns: cell.getWidth(), ...look });
  }
  return spans;
}

function hasLook(span: ScreenSpan, look: Omit<ScreenSpan, "text" | "columns">): boolean {
  return span.color === look.color && span.bold === look.bold && span.dim === look.dim && span.italic === look.italic;
}
