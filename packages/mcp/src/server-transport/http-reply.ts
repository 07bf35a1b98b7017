/**
 * Writes messages to a client as an HTTP response. The answer to a POST is one JSON body, or an SSE stream if other
 * messages come before the answer. Also writes the streams that a client opens with GET.
 */
import type { ServerResponse } from "node:http";
import type { Message } from "../wire/message.ts";
import type { ResponseStream } from "../wire/response-stream.ts";
import { publishMessage } from "../wire/publish-message.ts";

/** A client that leaves more than this unread is disconnected. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** Keeps proxies and clients from closing an idle stream. */
const KEEP_ALIVE_MS = 15_000;

/** A message as an event of a stream that the client can resume. */
export interface ReplyEvent {
  readonly id: string;
  /** The message as JSON. */
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
    // Ignored, because the `close` event also reports a disconnected client.
    response.on("error", () => {});
  }

  /**
   * `requestMethod` is given only for the answer, which ends the reply: the method of the answered request. With
   * `event`, the message is always sent in a stream.
   */
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
    // A client that does not read is disconnected, so that its messages do not fill the memory.
    else if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
  }

  /** Starts the SSE stream, if it has not started. `firstEvent` is written together with the headers. */
  startStream(firstEvent?: string): void {
    if (this.#response.headersSent || this.#response.destroyed) return;
    this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" });
    if (firstEvent === undefined) this.#response.flushHeaders();
    else this.#response.write(firstEvent);
    this.#keepAlive = setInterval(() => this.#response.write(": still here\n\n"), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
    this.#response.once("close", () => clearInterval(this.#keepAlive));
  }

  /** Ends the stream. If nothing was sent, responds with 204. */
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
