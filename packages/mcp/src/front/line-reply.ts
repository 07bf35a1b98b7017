/** Answers to a front on a shared wire: one JSON message a line. */
import type { Writable } from "node:stream";
import type { Message } from "../wire/message.ts";
import type { ResponseStream } from "../wire/response-stream.ts";
import { tap } from "../wire/tap.ts";
import { LineWriter } from "../transport/lines/line-writer.ts";

const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

export class LineReply implements ResponseStream {
  readonly #output: Writable;
  readonly #lines: LineWriter;

  constructor(output: Writable) {
    this.#output = output;
    this.#lines = new LineWriter(output);
  }

  send(message: Message, revision: string, answers?: string): void {
    if (!this.#output.writable) return;
    tap(() => ({ direction: "sent", role: "server", revision, message, ...(answers !== undefined && { answers }) }));
    void this.#lines.write(JSON.stringify(message));
    // A client that does not read must not fill our memory; a large answer alone is no such thing.
    if (answers === undefined && this.#output.writableLength > MAX_UNREAD_BYTES) this.#output.destroy();
  }

  /** The wire is shared: that one request gets no answer ends nothing. */
  end(): void {}

  /** Stops writing and delivers the lines written so far. */
  close(): void {
    this.#lines.flush();
    this.#output.end();
  }
}
