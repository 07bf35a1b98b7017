/**
 * The SSE stream that carries the response to one request, and the messages that belong to it. It may span several
 * connections.
 */
import { toHostError } from "@plugboard/contracts";
import type { HostError } from "@plugboard/contracts";
import type { ParsedMessage, RequestId } from "../../wire/message.ts";
import type { HttpClient } from "../http/http-client.ts";
import { DISCARD_TIMEOUT_MS } from "../http/http-response.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { matchResponse } from "./match-response.ts";
import { parseMessage } from "../messages/parse-message.ts";
import type { SseEvent } from "../http/sse-parser.ts";
import { StreamPosition } from "./stream-position.ts";

export class HttpResponseStream {
  readonly position = new StreamPosition();

  readonly #client: HttpClient;
  readonly #id: RequestId;
  readonly #deliver: (incoming: ParsedMessage) => void;
  #answered = false;

  constructor(client: HttpClient, id: RequestId, deliver: (incoming: ParsedMessage) => void) {
    this.#client = client;
    this.#id = id;
    this.#deliver = deliver;
  }

  /** Reads one connection to its end. Returns an error if the response to the request has not arrived. */
  async read(response: HttpResponse): Promise<HostError | undefined> {
    let abortTimer: NodeJS.Timeout | undefined;
    try {
      await this.#client.events(response, (event) => {
        this.#onEvent(event);
        // The server should end the stream after the response.
        if (this.#answered && !response.ended) abortTimer ??= setTimeout(() => response.abort(), DISCARD_TIMEOUT_MS);
      });
    } catch (thrown) {
      return this.#answered ? undefined : toHostError(thrown);
    } finally {
      clearTimeout(abortTimer);
    }
    return this.#answered ? undefined : this.#client.connectionLost("the stream ended without a response");
  }

  #onEvent(event: SseEvent): void {
    const isNew = this.position.advance(event);
    if (!isNew || event.event !== "message" || event.data === "") return;
    const incoming = parseMessage(event.data);
    const response = matchResponse(incoming, this.#id);
    this.#answered ||= response !== undefined;
    // Ignores responses to other requests.
    if (response || !isResponse(incoming)) this.#deliver(response ?? incoming);
  }
}

function isResponse(incoming: ParsedMessage): boolean {
  if (incoming.type === "malformed") return incoming.looksLike !== "request";
  return incoming.type === "result" || incoming.type === "error";
}
