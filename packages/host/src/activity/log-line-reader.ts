/**
 * Splits the output of one server into lines for its log. Removes colours and secrets. Keeps an incomplete line until
 * more output arrives.
 */
import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "@plugboard/contracts";
import type { PendingOutput } from "./server-logs.ts";
import type { ServerLogLine } from "@plugboard/contracts";

/** A longer line is split. */
const MAX_LINE_CHARS = 8 * 1024;
const MAX_LOGGER_CHARS = 200;

export class LogLineReader {
  readonly #redactor: Redactor | undefined;
  #decoder = new StringDecoder("utf8");
  #incompleteLine = "";
  #incompleteAt = 0;

  constructor(redactor: Redactor | undefined) {
    this.#redactor = redactor;
  }

  get hasIncompleteLine(): boolean {
    return this.#incompleteLine !== "";
  }

  /**
   * Returns the lines of the output. `droppedBytes` is the number of bytes that were lost before this
   * output. Also returns the kept incomplete line if `output` is empty or bytes were lost, and the
   * last incomplete line if `isLast` is true.
   */
  read(output: readonly PendingOutput[], droppedBytes: number, { isLast = false } = {}): ServerLogLine[] {
    const lines: ServerLogLine[] = [];
    const at = output[0]?.at ?? this.#incompleteAt;
    if (droppedBytes > 0 || output.length === 0) lines.push(...this.#endLine());
    if (droppedBytes > 0) lines.push({ at, stream: "lost", bytes: droppedBytes });
    for (const part of output) lines.push(...this.#readPart(part));
    if (isLast) lines.push(...this.#endLine());
    return lines;
  }

  #readPart({ at, chunk, log }: PendingOutput): ServerLogLine[] {
    if (!log) return this.#readStderr(at, this.#decoder.write(chunk));
    const { level, logger } = log;
    const name = logger !== undefined && { logger: this.#redact(logger.slice(0, MAX_LOGGER_CHARS)) };
    return [{ at, stream: "log", level, ...name, text: this.#redact(chunk.toString("utf8")) }];
  }

  #readStderr(at: number, text: string): ServerLogLine[] {
    if (this.#incompleteLine === "") this.#incompleteAt = at;
    const texts = (this.#incompleteLine + text).split(/\r?\n/).flatMap(splitLongLine);
    const firstAt = this.#incompleteAt;
    this.#incompleteLine = texts.pop() ?? "";
    if (texts.length > 0) this.#incompleteAt = at;
    return texts.flatMap((line, index) => this.#toStderrLine(index === 0 ? firstAt : at, line));
  }

  /** Returns the incomplete line. A character whose bytes have not all arrived is lost. */
  #endLine(): ServerLogLine[] {
    const text = this.#incompleteLine;
    this.#incompleteLine = "";
    this.#decoder = new StringDecoder("utf8");
    return this.#toStderrLine(this.#incompleteAt, text);
  }

  #toStderrLine(at: number, written: string): ServerLogLine[] {
    // Removes colours first, because the redactor does not find a secret with a colour code inside.
    const text = stripVTControlCharacters(written).trimEnd();
    return text.trim() === "" ? [] : [{ at, stream: "stderr", text: this.#redact(text) }];
  }

  #redact(text: string): string {
    return this.#redactor?.text(text) ?? text;
  }
}

function splitLongLine(line: string): string[] {
  if (line.length <= MAX_LINE_CHARS) return [line];
  const count = Math.ceil(line.length / MAX_LINE_CHARS);
  return Array.from({ length: count }, (_, index) => line.slice(index * MAX_LINE_CHARS, (index + 1) * MAX_LINE_CHARS));
}
