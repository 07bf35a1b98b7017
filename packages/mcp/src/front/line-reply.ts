/** Writes responses to a client on stdio, one JSON message per line. */
import type { Writable } from "node:stream";
import type { Message } from "../wire/message.ts";
import type { ResponseStream } from "../wire/response-stream.ts";
import { publishMessage } from "../wire/publish-message.ts";
import { LineWriter } from "../transport/lines/line-writer.ts";

const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

export class LineReply implements ResponseStream {
  readonly #output: Writable;
  readonly #lines: LineWriter;

  constructor(output: Writable) {
    this.#output = output;
    this.#lines = new LineWriter(output);
  }

  send(message: Message, revision: string, requestMethod?: string): void {
    if (!this.#output.writable) return;
    publishMessage(() => ({
      direction: "sent",
      role: "server",
      revision,
      message,
      ...(requestMethod !== undefined && { answers: requestMethod }),
    }));
    void this.#lines.write(JSON.stringify(message));
    // Disconnects a client that does not read. A single large response is allowed.
    if (requestMethod === undefined && this.#output.writableLength > MAX_UNREAD_BYTES) this.#output.destroy();
  }

  /** Leaves the stream open, because other requests share it. */
  end(): void {}

  /** Stops writing and flushes the lines written so far. */
  close(): void {
    this.#lines.flush();
    this.#output.end();
  }
}
