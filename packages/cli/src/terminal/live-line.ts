/**
 * Shows on the last line of the terminal what the command waits for, such as "starting github … 4 s". Appears only
 * after a short delay, and disappears without a trace. Other output erases it first.
 */
import { sanitizeLine } from "@plugboard/contracts";

/** A part of the line, updated with every redraw. Returns undefined if there is nothing to show. */
export type LiveText = () => string | undefined;

interface LiveStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Nothing may be silent for longer than 300 ms. */
const DELAY_MS = 200;
const REDRAW_MS = 250;
const ERASE = "\r\u001b[2K";
const DEFAULT_COLUMNS = 80;

export class LiveLine {
  readonly #stream: LiveStream;
  readonly #texts = new Set<LiveText>();
  #timer: NodeJS.Timeout | undefined;
  #isDrawn = false;
  #isPaused = false;

  constructor(stream: LiveStream) {
    this.#stream = stream;
  }

  /** Shows the text until the returned function is called. Does nothing without a terminal. */
  show(text: LiveText): () => void {
    if (!this.#stream.isTTY) return () => {};
    this.#texts.add(text);
    this.#timer ??= setTimeout(() => this.#redraw(), DELAY_MS).unref();
    return () => {
      this.#texts.delete(text);
      if (this.#texts.size === 0) this.#stop();
    };
  }

  /** Erases the line during `write`. */
  interrupt(write: () => void): void {
    this.#erase();
    write();
  }

  /** Hides the line until the returned function is called, because a prompt uses the terminal. */
  pause(): () => void {
    this.#isPaused = true;
    this.#erase();
    return () => (this.#isPaused = false);
  }

  #redraw(): void {
    this.#timer = setTimeout(() => this.#redraw(), REDRAW_MS).unref();
    if (this.#isPaused) return;
    const shown = [...this.#texts].flatMap((text) => text() ?? []).join(" · ");
    this.#erase();
    if (shown === "") return;
    this.#stream.write(fit(sanitizeLine(shown), (this.#stream.columns || DEFAULT_COLUMNS) - 1));
    this.#isDrawn = true;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#erase();
  }

  #erase(): void {
    if (this.#isDrawn) this.#stream.write(ERASE);
    this.#isDrawn = false;
  }
}

function fit(text: string, columns: number): string {
  const characters = Array.from(text);
  return characters.length <= columns ? text : `${characters.slice(0, columns - 1).join("")}…`;
}
