/**
 * The stream of events on which the answer to one request comes, and before it
 * whatever belongs to that request. It may take several connections.
 */
import { toHostError } from "@plugboard/contracts";
import type { HostError } from "@plugboard/contracts";
import type { Incoming, RequestId } from "../wire/message.ts";
import type { HttpClient } from "./http-client.ts";
import { LINGER_MS } from "./http-response.ts";
import type { HttpResponse } from "./http-response.ts";
import { ownAnswer } from "./own-answer.ts";
import { parseMessage } from "./parse-message.ts";
import type { SseEvent } from "./sse-parser.ts";
import { StreamPosition } from "./stream-position.ts";

export class AnswerStream {
  readonly position = new StreamPosition();

  readonly #client: HttpClient;
  readonly #id: RequestId;
  readonly #deliver: (incoming: Incoming) => void;
  #answered = false;

  constructor(client: HttpClient, id: RequestId, deliver: (incoming: Incoming) => void) {
    this.#client = client;
    this.#id = id;
    this.#deliver = deliver;
  }

  /** Reads one connection to its end. Says why it has no answer, if it has none. */
  async read(response: HttpResponse): Promise<HostError | undefined> {
    let linger: NodeJS.Timeout | undefined;
    try {
      await this.#client.events(response, (event) => {
        this.#hear(event);
        if (this.#answered && !response.over) linger ??= setTimeout(() => response.abort(), LINGER_MS);
      });
    } catch (thrown) {
      return this.#answered ? undefined : toHostError(thrown);
    } finally {
      clearTimeout(linger);
    }
    return this.#answered ? undefined : this.#client.lost("the stream ended without an answer");
  }

  #hear(event: SseEvent): void {
    const isNew = this.position.advance(event);
    if (!isNew || event.event !== "message" || event.data === "") return;
    const incoming = parseMessage(event.data);
    const own = ownAnswer(incoming, this.#id);
    this.#answered ||= own !== undefined;
    // What answers another request has no business here.
    if (own || !isAnswer(incoming)) this.#deliver(own ?? incoming);
  }
}

function isAnswer(incoming: Incoming): boolean {
  if (incoming.type === "malformed") return incoming.like !== "request";
  return incoming.type === "result" || incoming.type === "error";
}
