/**
 * Writes the response to a client's POST. Sends one JSON body, or an SSE stream if other messages come before the
 * response.
 */
import type { ServerResponse } from "node:http";
import type { Message } from "../wire/message.ts";
import type { ResponseStream } from "../wire/response-stream.ts";
import { publishMessage } from "../wire/publish-message.ts";

const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** Keeps proxies and clients from closing an idle stream. */
const KEEP_ALIVE_MS = 15_000;

export interface ReplyEvent {
  readonly id: string;
  readonly data: string;
}

export class HttpReply implements ResponseStream {
  readonly #response: ServerResponse;
  readonly #statusOf: (message: Message) => number;
  #keepAlive: NodeJS.Timeout | undefined;

  /** `statusOf` returns the HTTP status for a response that is sent as one JSON body. */
  constructor(response: ServerResponse, statusOf: (message: Message) => number = () => 200) {
    this.#response = response;
    this.#statusOf = statusOf;
    // The `close` event reports a disconnected client.
    response.on("error", () => {});
  }

  /** `event` holds the id of the message in a stream, and the message as JSON. */
  send(message: Message, revision: string, requestMethod?: string, event?: ReplyEvent): void {
    if (!this.#writable) return;
    publishMessage(() => ({
      direction: "sent",
      role: "server",
      revision,
      message,
      ...(requestMethod !== undefined && { answers: requestMethod }),
    }));
    const body = event?.data ?? JSON.stringify(message);
    const isResponse = requestMethod !== undefined;
    if (isResponse && !event && !this.#response.headersSent) {
      // With a content-length, Node writes the headers and the body together. Otherwise it writes five parts.
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      this.#response.writeHead(this.#statusOf(message), headers).end(body);
      return;
    }
    this.startStream();
    this.#response.write(`${event ? `id: ${event.id}\n` : ""}event: message\ndata: ${body}\n\n`);
    if (isResponse) this.end();
    // Disconnects a client that does not read, so that its messages do not fill the memory.
    else if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
  }

  /** Starts the SSE stream before the first message is ready. `firstEvent` is written at once. */
  startStream(firstEvent?: string): void {
    if (this.#response.headersSent || this.#response.destroyed) return;
    this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" });
    if (firstEvent === undefined) this.#response.flushHeaders();
    else this.#response.write(firstEvent);
    this.#keepAlive = setInterval(() => this.#response.write(": still here\n\n"), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
    this.#response.once("close", () => clearInterval(this.#keepAlive));
  }

  end(): void {
    clearInterval(this.#keepAlive);
    if (!this.#writable) return;
    if (!this.#response.headersSent) this.#response.writeHead(204);
    this.#response.end();
  }

  get #writable(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }
}
