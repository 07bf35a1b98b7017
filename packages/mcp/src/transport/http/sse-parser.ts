/** Parses a `text/event-stream` chunk by chunk. */
import { GrowingBuffer } from "../messages/growing-buffer.ts";

/** One event. An event without data is emitted only if it has an id or a retry time. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
  /** The id of this event only. It is not inherited from earlier events. */
  readonly id?: string;
  readonly retryMs?: number;
}

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = "\ufeff";

export class SseParser {
  readonly #limit: number;
  /** The start of a line whose end has not arrived. */
  readonly #partialLine: GrowingBuffer;
  #data: string[] = [];
  #event = "";
  #id: string | undefined;
  #retryMs: number | undefined;
  /** The size of the `data` lines of the event that is being read, including the field names. */
  #size = 0;
  #isFirstLine = true;
  /** True if the last line ended with CR. An LF that follows belongs to the same line break. */
  #afterCr = false;

  constructor(limit: number) {
    this.#limit = limit;
    this.#partialLine = new GrowingBuffer(limit);
  }

  /** Returns false once an event is over the limit. Do not call it again after that. */
  push(chunk: Buffer, onEvent: (event: SseEvent) => void): boolean {
    let lineStart = 0;
    // The next LF and CR. Each is searched again only after `lineStart` has passed it.
    let lf = chunk.indexOf(LF);
    let cr = chunk.indexOf(CR);
    while (lineStart < chunk.length) {
      if (this.#afterCr && chunk[lineStart] === LF) lineStart += 1;
      this.#afterCr = false;
      if (lf >= 0 && lf < lineStart) lf = chunk.indexOf(LF, lineStart);
      if (cr >= 0 && cr < lineStart) cr = chunk.indexOf(CR, lineStart);
      if (lf < 0 && cr < 0) break;
      const end = lf < 0 ? cr : cr < 0 ? lf : Math.min(lf, cr);
      if (!this.#endLine(chunk.subarray(lineStart, end), onEvent)) return false;
      this.#afterCr = end === cr;
      lineStart = end + 1;
    }
    // The rest of the chunk is the start of a line that the next chunk continues.
    return this.#partialLine.append(chunk.subarray(lineStart)) && this.#size + this.#partialLine.length <= this.#limit;
  }

  #endLine(rest: Buffer, onEvent: (event: SseEvent) => void): boolean {
    const bytes = this.#completeLine(rest);
    if (!bytes || this.#size + bytes.length > this.#limit) return false;
    const text = bytes.toString("utf8");
    const line = this.#isFirstLine ? withoutByteOrderMark(text) : text;
    this.#isFirstLine = false;
    if (line === "") this.#endEvent(onEvent);
    else this.#readField(line, bytes.length + 1);
    return this.#size <= this.#limit;
  }

  /** Returns undefined if the line is over the limit. Does not copy a line that arrived in one chunk. */
  #completeLine(rest: Buffer): Buffer | undefined {
    if (this.#partialLine.length === 0) return rest;
    return this.#partialLine.append(rest) ? this.#partialLine.take() : undefined;
  }

  #endEvent(onEvent: (event: SseEvent) => void): void {
    const id = this.#id;
    const retryMs = this.#retryMs;
    const data = this.#data;
    const event = this.#event || "message";
    this.#data = [];
    this.#event = "";
    this.#id = undefined;
    this.#retryMs = undefined;
    this.#size = 0;
    if (data.length === 0 && id === undefined && retryMs === undefined) return;
    onEvent({
      event,
      data: data.join("\n"),
      ...(id !== undefined && { id }),
      ...(retryMs !== undefined && { retryMs }),
    });
  }

  #readField(line: string, size: number): void {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") {
      this.#data.push(value);
      this.#size += size;
    } else if (field === "event") {
      this.#event = value;
    } else if (field === "id") {
      if (!value.includes("\0")) this.#id = value;
    } else if (field === "retry") {
      if (/^\d+$/.test(value)) this.#retryMs = Number(value);
    }
  }
}

function withoutByteOrderMark(line: string): string {
  return line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
}
