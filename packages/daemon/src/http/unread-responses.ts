/**
 * Limits the bytes of responses that the clients of one principal leave unread. A client that opens many connections and
 * reads none of them would otherwise fill the memory. At the limit, new requests are refused. Answers to earlier requests
 * that exceed twice the limit end their connections.
 */
import { ServerResponse } from "node:http";
import type { IncomingMessage } from "node:http";
import { HostError } from "@plugboard/contracts";

/** A few of the longest messages that a server may send by default. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** An unread response is given up after 30 s, so the client should not try again at once. */
const RETRY_AFTER_MS = 5000;

export class UnreadResponses {
  readonly #limit: number;
  /** The responses that were not sent at once, by principal. */
  readonly #buffered = new Map<string, Set<ServerResponse>>();

  constructor(limit = MAX_UNREAD_BYTES) {
    this.#limit = limit;
  }

  /** Counts the response for the principal. Throws TOO_MANY_REQUESTS at the limit. */
  add(principal: string, response: ServerResponse): void {
    if (this.#bytes(principal) >= this.#limit) {
      throw new HostError("TOO_MANY_REQUESTS", { limit: this.#limit, retryAfterMs: RETRY_AFTER_MS, per: "unread" });
    }
    if (!(response instanceof ObservedResponse)) return;
    response.principal = principal;
    response.observer = this;
  }

  /** Called after a write of which a part could not be sent at once. */
  onBuffered(response: ServerResponse, principal: string): void {
    const buffered = this.#buffered.get(principal) ?? new Set();
    this.#buffered.set(principal, buffered);
    if (!buffered.has(response)) {
      buffered.add(response);
      // Many parts wait for the end of a response, so Node must not warn about many listeners.
      response.setMaxListeners(0);
      response.once("close", () => {
        buffered.delete(response);
        if (buffered.size === 0) this.#buffered.delete(principal);
      });
    }
    // A single response may be longer than the limit.
    if (buffered.size > 1 && this.#bytes(principal) > 2 * this.#limit) response.destroy();
  }

  #bytes(principal: string): number {
    let bytes = 0;
    for (const { writableLength } of this.#buffered.get(principal) ?? []) bytes += writableLength;
    return bytes;
  }
}

/** Reports writes that the client does not read at once. */
export class ObservedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  principal = "";
  observer: UnreadResponses | undefined;

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
    if (this.observer && this.writableLength > 0 && !this.destroyed) this.observer.onBuffered(this, this.principal);
  }
}
