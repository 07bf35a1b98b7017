/**
 * Shows on the last line of the terminal what the command waits for, such as "starting github … 4 s". Appears only
 * after a short delay, and disappears without a trace. Other output erases it first.
 */
import { sanitizeLine } from "@plugboard/contracts";
import { fitColumns } from "./text-width.ts";

/** A part of the line, updated with every redraw. Returns undefined if there is nothing to show. */
export type LiveText = () => string | undefined;

export interface LiveTextOptions {
  /** True if the text is shown only while no other text is. Of several such texts, only the latest is shown. */
  readonly isFallback?: boolean;
}

interface LiveStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface LiveLineOptions {
  /** True if the terminal can't erase a line. It gets a new line for each new text, and then every ten seconds. */
  readonly isDumb?: boolean;
}

/** Short enough that no command is silent for longer than 300 ms. */
const DELAY_MS = 200;
const REDRAW_MS = 250;
const DUMB_REPEAT_MS = 10_000;
const ERASE = "\r\u001b[2K";
const DEFAULT_COLUMNS = 80;

export class LiveLine {
  readonly #stream: LiveStream;
  readonly #isDumb: boolean;
  readonly #texts = new Map<LiveText, LiveTextOptions>();
  #timer: NodeJS.Timeout | undefined;
  /** The text on the screen. */
  #drawn: string | undefined;
  /** The last line on a dumb terminal. */
  #lastLine = { subject: "", at: 0 };
  #pauses = 0;

  constructor(stream: LiveStream, { isDumb = false }: LiveLineOptions = {}) {
    this.#stream = stream;
    this.#isDumb = isDumb;
  }

  /** Shows the text until the returned function is called. Does nothing without a terminal. */
  show(text: LiveText, options: LiveTextOptions = {}): () => void {
    if (!this.#stream.isTTY) return () => {};
    this.#texts.set(text, options);
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

  /** Hides the line until the returned function is called, because a prompt or a live table uses the terminal. */
  pause(): () => void {
    this.#pauses += 1;
    this.#erase();
    let isPaused = true;
    return () => {
      if (isPaused) this.#pauses -= 1;
      isPaused = false;
    };
  }

  #redraw(): void {
    this.#timer = setTimeout(() => this.#redraw(), REDRAW_MS).unref();
    const text = this.#pauses > 0 ? "" : this.#currentText();
    const line = fitColumns(sanitizeLine(text), (this.#stream.columns || DEFAULT_COLUMNS) - 1);
    if (this.#isDumb) return this.#writeRarely(line);
    if (line === this.#drawn) return;
    this.#erase();
    if (line === "") return;
    this.#stream.write(line);
    this.#drawn = line;
  }

  /** Writes the line for good, unless only its elapsed time differs from the line before. */
  #writeRarely(line: string): void {
    const [subject = ""] = line.split(" …");
    const isRepeated = subject === this.#lastLine.subject && Date.now() < this.#lastLine.at + DUMB_REPEAT_MS;
    if (line === "" || isRepeated) return;
    this.#lastLine = { subject, at: Date.now() };
    this.#stream.write(`${line}\n`);
  }

  #currentText(): string {
    const textsOf = (wantsFallback: boolean) =>
      [...this.#texts].flatMap(([text, { isFallback = false }]) =>
        isFallback === wantsFallback ? (text() ?? []) : [],
      );
    const texts = textsOf(false);
    return texts.length > 0 ? texts.join(" · ") : (textsOf(true).at(-1) ?? "");
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#erase();
  }

  #erase(): void {
    if (this.#drawn !== undefined) this.#stream.write(ERASE);
    this.#drawn = undefined;
  }
}
