/** Reads a body as text. Returns undefined if it is over the limit. */
import { GrowingBuffer } from "../messages/growing-buffer.ts";

export async function readBody(body: AsyncIterable<Buffer>, limit: number): Promise<string | undefined> {
  const text = new BodyTextBuffer(limit);
  for await (const chunk of body) if (!text.append(chunk)) return undefined;
  return text.take();
}

/** Collects the chunks of a text. Does not copy a single chunk, because most texts have only one. */
export class BodyTextBuffer {
  readonly #limit: number;
  #first: Buffer | undefined;
  #all: GrowingBuffer | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns false if the text would be over the limit. */
  append(chunk: Buffer): boolean {
    if (this.#all) return this.#all.append(chunk);
    if (!this.#first) {
      this.#first = chunk;
      return chunk.length <= this.#limit;
    }
    this.#all = new GrowingBuffer(this.#limit);
    return this.#all.append(this.#first) && this.#all.append(chunk);
  }

  take(): string {
    return (this.#all?.take() ?? this.#first)?.toString("utf8") ?? "";
  }
}
