/** The last words of a stream, bounded, for errors to quote. */
import { StringDecoder } from "node:string_decoder";

export class OutputTail {
  readonly #limit: number;
  readonly #decoder = new StringDecoder("utf8");
  #text = "";

  constructor(limit = 4096) {
    this.#limit = limit;
  }

  push(chunk: Buffer | string): void {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    this.#text = (this.#text + text).slice(-this.#limit);
  }

  /** Without a first line that may have been cut, when there is more than one. */
  get text(): string {
    const whole = this.#text.length < this.#limit;
    const lineEnd = this.#text.indexOf("\n");
    return (whole || lineEnd < 0 ? this.#text : this.#text.slice(lineEnd + 1)).trim();
  }
}
