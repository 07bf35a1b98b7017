/** Writes responses to a client on stdio, one JSON message per line. */
import type { Writable } from "node:stream";
import { HostError } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { toPeerError } from "../session/to-peer-error.ts";
import type { Message, RequestId } from "../wire/message.ts";
import type { ResponseStream } from "../wire/response-stream.ts";
import { publishMessage } from "../wire/publish-message.ts";
import { ProgressGap } from "./progress-gap.ts";
import { LineWriter } from "../transport/lines/line-writer.ts";

const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** Official clients end the connection at 10 MiB. They also count the bytes that follow the line in the same chunk. */
const MAX_LINE_BYTES = 9 * 1024 * 1024;

export class LineReply implements ResponseStream {
  readonly #output: Writable;
  readonly #lines: LineWriter;
  readonly #clock: Clock;
  readonly #gap: ProgressGap;
  /** Lines of responses that are delayed by `ProgressGap`, with the functions that cancel their timers. */
  readonly #delayed = new Map<string, () => void>();

  constructor(output: Writable, clock: Clock) {
    this.#output = output;
    this.#lines = new LineWriter(output);
    this.#clock = clock;
    this.#gap = new ProgressGap(clock);
  }

  send(message: Message, revision: string, requestMethod?: string): void {
    if (!this.#output.writable) return;
    const line = JSON.stringify(message);
    // A character has at most three bytes. Only the bytes of long lines are counted, because that takes time.
    if (line.length > MAX_LINE_BYTES / 3) {
      const bytes = Buffer.byteLength(line);
      if (bytes > MAX_LINE_BYTES) return this.#replaceLong(message, bytes, revision, requestMethod);
    }
    publishMessage(() => ({
      direction: "sent",
      role: "server",
      revision,
      message,
      ...(requestMethod !== undefined && { answers: requestMethod }),
    }));
    if (requestMethod === undefined) this.#noteProgress(message);
    const delayMs = requestMethod === undefined ? 0 : this.#gap.takeDelay((message as { id?: RequestId }).id);
    if (delayMs > 0) return this.#writeLater(line, delayMs);
    void this.#lines.write(line);
    // Disconnects a client that does not read. A single large response is allowed.
    if (requestMethod === undefined && this.#output.writableLength > MAX_UNREAD_BYTES) this.#output.destroy();
  }

  #noteProgress(message: Message): void {
    if ("method" in message && message.method === "notifications/progress")
      this.#gap.recordProgress(message.params?.["progressToken"]);
  }

  #writeLater(line: string, delayMs: number): void {
    const write = () => {
      this.#delayed.delete(line);
      if (this.#output.writable) void this.#lines.write(line);
    };
    this.#delayed.set(line, this.#clock.after(delayMs, write));
  }

  /** Sends an error instead of a response that the client can't read. Drops any other message. */
  #replaceLong(message: Message, bytes: number, revision: string, requestMethod: string | undefined): void {
    if (!("id" in message) || message.id === undefined || "method" in message) return;
    const error = toPeerError(new HostError("RESPONSE_TOO_LARGE", { bytes, limitBytes: MAX_LINE_BYTES }));
    this.send({ jsonrpc: "2.0", id: message.id, error }, revision, requestMethod);
  }

  /** Leaves the stream open, because other requests share it. */
  end(): void {}

  /** Stops writing and flushes the lines written so far. */
  close(): void {
    for (const [line, cancel] of this.#delayed) {
      cancel();
      void this.#lines.write(line);
    }
    this.#delayed.clear();
    this.#lines.flush();
    this.#output.end();
  }
}
