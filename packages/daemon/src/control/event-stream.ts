/** Sends a response as a stream of server-sent events. Sending never throws. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { clientDisconnectSignal } from "@plugboard/mcp/server-transport";

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
    this.#write("", data);
  }

  /** Sends an event with a name, for clients that use `EventSource`. */
  sendNamed(name: string, data: unknown): void {
    this.#write(`event: ${name}\n`, data);
  }

  end(): void {
    this.#response.end();
  }

  /** Breaks the stream off, so that the client gets an error. */
  fail(error: Error): void {
    this.#response.destroy(error);
  }

  #write(head: string, data: unknown): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    let json: string;
    try {
      json = JSON.stringify(data);
    } catch (thrown) {
      // The data is nested too deep, or its JSON is longer than a string can be.
      return this.fail(thrown as Error);
    }
    // A client that does not read must not fill the memory of the host. A single result may be longer than the limit.
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
    else this.#response.write(`${head}data: ${json}\n\n`);
  }
}
