/** A response as a stream of events, for as long as the other side reads. */
import type { ServerResponse } from "node:http";

const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

export class EventStream {
  readonly #response: ServerResponse;
  /** Fires when the reader has gone, or has got everything. */
  readonly closed: AbortSignal;

  constructor(response: ServerResponse) {
    const closed = new AbortController();
    this.#response = response;
    this.closed = closed.signal;
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" });
    response.flushHeaders();
    response.once("close", () => closed.abort());
    if (response.destroyed) closed.abort();
  }

  send(event: unknown): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.write(`data: ${JSON.stringify(event)}\n\n`);
    // A client that does not read must not fill our memory.
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
  }

  end(): void {
    this.#response.end();
  }
}
