/** Reads a `text/event-stream` piece by piece. Only what MCP uses: data and event names. */
import { StringDecoder } from "node:string_decoder";

export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

export class SseParser {
  readonly #decoder = new StringDecoder("utf8");
  readonly #limit: number;
  #rest = "";
  #data: string[] = [];
  #event = "";
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns false once an event is over the limit; nothing can be read after that. */
  push(chunk: Buffer, onEvent: (event: SseEvent) => void): boolean {
    this.#rest += this.#decoder.write(chunk);
    let from = 0;
    for (;;) {
      const end = lineEnd(this.#rest, from);
      if (!end) break;
      this.#line(this.#rest.slice(from, end.at), onEvent);
      from = end.next;
    }
    this.#rest = this.#rest.slice(from);
    return this.#size + this.#rest.length <= this.#limit;
  }

  #line(line: string, onEvent: (event: SseEvent) => void): void {
    if (line === "") {
      if (this.#data.length > 0) onEvent({ event: this.#event || "message", data: this.#data.join("\n") });
      this.#data = [];
      this.#event = "";
      this.#size = 0;
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") {
      this.#data.push(value);
      this.#size += value.length;
    } else if (field === "event") {
      this.#event = value;
    }
  }
}

/** A lone CR at the very end may be the first half of CRLF: it waits for the next chunk. */
function lineEnd(text: string, from: number): { at: number; next: number } | undefined {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === "\n") return { at, next: at + 1 };
    if (character === "\r") {
      if (at + 1 === text.length) return undefined;
      return { at, next: text[at + 1] === "\n" ? at + 2 : at + 1 };
    }
  }
  return undefined;
}
