/** Sends a response as a stream of server-sent events. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { clientDisconnectSignal } from "@plugboard/gateway";

const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

export class EventStream {
  readonly #response: ServerResponse;
  /** Aborted when the client disconnects before the end. */
  readonly disconnected: AbortSignal;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#response = response;
    this.disconnected = clientDisconnectSignal(request, response);
    response.on("error", () => {});
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" });
    response.flushHeaders();
  }

  send(data: unknown): void {
    this.#write(`data: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends an event with a name, for clients that use `EventSource`. */
  sendNamed(name: string, data: unknown): void {
    this.#write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.write(text);
    // A client that does not read must not fill the memory of the host.
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
  }
}
