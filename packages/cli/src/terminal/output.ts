/**
 * Writes to stdout and stderr. Sanitizes all text from servers, so that it can't control the terminal. Only styles of
 * the command itself become escape sequences. Node's line editor writes past this class, so `terminal-lines.ts`
 * sanitizes its prompts.
 */
import { visibleJson, sanitize } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { renderJson } from "./render-json.ts";
import type { LiveLine } from "./live-line.ts";
import type { StyleName, Text } from "./text.ts";

export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly errored?: Error | null;
};

export interface OutputOptions {
  readonly env: Env;
  /** The line that is erased while something is written. */
  readonly liveLine: LiveLine;
}

export class Output {
  readonly #liveLine: LiveLine;
  readonly #usesColor: boolean;
  /** True if the terminal can move its cursor. */
  readonly canRepaint: boolean;
  /** The stream itself, for protocols and for prompts that move the cursor. */
  readonly stream: OutputStream;

  constructor(stream: OutputStream, { env, liveLine }: OutputOptions) {
    this.stream = stream;
    this.#liveLine = liveLine;
    this.canRepaint = stream.isTTY === true && env["TERM"] !== "dumb";
    this.#usesColor = this.canRepaint && !env["NO_COLOR"];
  }

  get isTTY(): boolean {
    return this.stream.isTTY === true;
  }

  /** The width of the terminal, or infinity for a pipe, where text is not wrapped. */
  get columns(): number {
    return this.isTTY ? this.stream.columns || DEFAULT_COLUMNS : Infinity;
  }

  /** Writes text for a person. */
  write(text: Text): void {
    this.#write(this.render(text));
  }

  /** Returns the text as `write` writes it: sanitized, and with styles if the terminal shows them. */
  render(text: Text): string {
    return toTerminalText(text, this.#usesColor);
  }

  /** Writes a value as indented JSON. */
  json(value: unknown): void {
    this.#write(renderJson(value));
  }

  /** Writes a value as JSON on one line. */
  jsonLine(value: unknown): void {
    this.#write(`${visibleJson(value)}\n`);
  }

  /** Writes a tool's result as it is into a pipe or file. Sanitizes it on a terminal. */
  content(text: string): void {
    this.#write(this.isTTY ? sanitize(text) : text);
  }

  #write(text: string): void {
    this.#liveLine.interrupt(() => this.stream.write(text));
  }
}

const DEFAULT_COLUMNS = 80;

const STYLE_CODES: { readonly [Name in StyleName]: readonly [on: number, off: number] } = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

function toTerminalText(text: Text, usesColor: boolean): string {
  if (typeof text === "string") return sanitize(text);
  if (!("style" in text)) return text.map((part) => toTerminalText(part, usesColor)).join("");
  const [on, off] = STYLE_CODES[text.style];
  return usesColor ? `\u001b[${on}m${sanitize(text.text)}\u001b[${off}m` : sanitize(text.text);
}
