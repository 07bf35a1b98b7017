/**
 * Limits the bytes of responses that the clients of one principal leave unread. A client that opens many connections
 * and reads none of them would otherwise fill the memory. At the limit, new requests are refused. At twice the limit, a
 * response to an earlier request that still grows is destroyed with its connection.
 */
import { ServerResponse } from "node:http";
import type { IncomingMessage } from "node:http";
import { HostError } from "@plugboard/contracts";

/** Room for a few of the longest messages that a server may send by default. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** An unread response is given up after 30 s, so the client should not try again at once. */
const RETRY_AFTER_MS = 5000;

export class UnreadHttpResponses {
  readonly #limit: number;
  /** The responses of all principals that were not sent at once. */
  readonly #buffered = new Set<ObservedResponse>();

  constructor(limit = MAX_UNREAD_BYTES) {
    this.#limit = limit;
  }

  /** Counts the response for the principal. Throws TOO_MANY_REQUESTS at the limit. */
  add(principal: string, response: ServerResponse): void {
    if (bytesIn(this.#responsesOf(principal)) >= this.#limit) {
      throw new HostError("TOO_MANY_REQUESTS", { limit: this.#limit, retryAfterMs: RETRY_AFTER_MS, per: "unread" });
    }
    if (!(response instanceof ObservedResponse)) return;
    response.principal = principal;
    response.observer = this;
  }

  /** Called after a write of which a part could not be sent at once. */
  onBuffered(response: ObservedResponse): void {
    if (!this.#buffered.has(response)) {
      this.#buffered.add(response);
      // Many parts wait for the end of a response, so Node must not warn about many listeners.
      response.setMaxListeners(0);
      response.once("close", () => this.#buffered.delete(response));
    }
    const own = this.#responsesOf(response.principal);
    // A single response may be longer than the limit.
    if (own.length > 1 && bytesIn(own) > 2 * this.#limit) response.destroy();
  }

  #responsesOf(principal: string): ObservedResponse[] {
    return [...this.#buffered].filter((response) => response.principal === principal);
  }
}

function bytesIn(responses: readonly ServerResponse[]): number {
  return responses.reduce((sum, { writableLength }) => sum + writableLength, 0);
}

/** Reports writes that the client does not read at once. */
export class ObservedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  principal = "";
  observer: UnreadHttpResponses | undefined;

  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    const flushed = super.write(chunk, encoding as BufferEncoding, callback as () => void);
    this.#report();
    return flushed;
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    super.end(chunk, encoding as BufferEncoding, callback as () => void);
    this.#report();
    return this;
  }

  #report(): void {
    if (this.observer && this.writableLength > 0 && !this.destroyed) this.observer.onBuffered(this);
  }
}
