/** Parses a `text/event-stream` chunk by chunk. */
import { GrowingBuffer } from "../messages/growing-buffer.ts";

/** Also emitted for an event without data that has an id or a retry time. */
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
  readonly #rest: GrowingBuffer;
  #data: string[] = [];
  #event = "";
  #id: string | undefined;
  #retryMs: number | undefined;
  /** Size of the event that is being read, including field names. */
  #size = 0;
  #first = true;
  #afterCr = false;

  constructor(limit: number) {
    this.#limit = limit;
    this.#rest = new GrowingBuffer(limit);
  }

  /** Returns false once an event is over the limit. Nothing can be read after that. */
  push(chunk: Buffer, onEvent: (event: SseEvent) => void): boolean {
    let from = 0;
    let lf = chunk.indexOf(LF);
    let cr = chunk.indexOf(CR);
    while (from < chunk.length) {
      // The LF of a CRLF pair is not a line of its own.
      if (this.#afterCr && chunk[from] === LF) from += 1;
      this.#afterCr = false;
      if (lf >= 0 && lf < from) lf = chunk.indexOf(LF, from);
      if (cr >= 0 && cr < from) cr = chunk.indexOf(CR, from);
      if (lf < 0 && cr < 0) break;
      const end = lf < 0 ? cr : cr < 0 ? lf : Math.min(lf, cr);
      if (!this.#endLine(chunk.subarray(from, end), onEvent)) return false;
      this.#afterCr = end === cr;
      from = end + 1;
    }
    return this.#rest.append(chunk.subarray(from)) && this.#size + this.#rest.length <= this.#limit;
  }

  #endLine(end: Buffer, onEvent: (event: SseEvent) => void): boolean {
    const bytes = this.#completeLine(end);
    if (!bytes || this.#size + bytes.length > this.#limit) return false;
    const line = this.#first ? withoutByteOrderMark(bytes.toString("utf8")) : bytes.toString("utf8");
    this.#first = false;
    if (line === "") this.#endEvent(onEvent);
    else this.#field(line, bytes.length + 1);
    return this.#size <= this.#limit;
  }

  /** Does not copy a line that arrived in one chunk. */
  #completeLine(end: Buffer): Buffer | undefined {
    if (this.#rest.length === 0) return end;
    return this.#rest.append(end) ? this.#rest.take() : undefined;
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

  #field(line: string, size: number): void {
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
