/** Reads a body as text. */
import type { Readable } from "node:stream";
import { GrowingBuffer } from "../messages/growing-buffer.ts";

/**
 * Resolves with undefined if the body is over the limit, and rejects if it ends early. `counter` gets the length of each
 * chunk. If it returns an error, the promise rejects with it. Uses events, because an iterator takes about as long as the
 * rest of a small request.
 */
export function readBody(
  body: Readable,
  limit: number,
  counter: { add(bytes: number): Error | undefined },
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const text = new BodyTextBuffer(limit);
    body.on("data", (chunk: Buffer) => {
      const error = counter.add(chunk.length);
      if (!error && text.append(chunk)) return;
      // The rest is read and dropped, so that the client reads the response.
      body.removeAllListeners("data").resume();
      text.take();
      if (error) reject(error);
      else resolve(undefined);
    });
    body.once("end", () => resolve(text.take()));
    body.once("error", reject);
    body.once("close", () => {
      // Creating an error takes long, so no request that has arrived in full gets one.
      if (!body.readableEnded) reject(new Error("the body has ended early"));
    });
  });
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
