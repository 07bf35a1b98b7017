/**
 * MCP over HTTP+SSE, as it was in 2024-11-05: one GET stream on which everything
 * comes, and a POST to the address that its first event names for everything
 * that goes. That address is at the server's own origin, or it is refused.
 */
import { HostError, parseUrl, toHostError } from "@plugboard/contracts";
import type { Incoming, Message, RequestId } from "../wire/message.ts";
import { quote } from "../wire/quote.ts";
import type { Transport, TransportEvents, WireHeaders } from "../wire/transport.ts";
import { writeMessage } from "../wire/write-message.ts";
import { Breaker } from "./breaker.ts";
import { ACCEPT_MS } from "./http.ts";
import { HttpClient } from "./http-client.ts";
import type { HttpOptions } from "./http.ts";
import { parseMessage } from "./parse-message.ts";
import type { SseEvent } from "./sse-parser.ts";

const STREAM_HEADERS: WireHeaders = { accept: "text/event-stream" };
const POST_HEADERS: WireHeaders = { "content-type": "application/json" };

/** Messages that may be on their way at once. */
const MAX_SENDING = 2048;

export class SseTransport implements Transport {
  readonly shared = true;

  readonly #client: HttpClient;
  readonly #acceptMs: number;
  readonly #stream = new Breaker();
  readonly #sending = new Map<RequestId | Message, Breaker>();
  /** What came before anybody listened, after the address. */
  readonly #early: Incoming[] = [];
  #events: TransportEvents | undefined;
  #opening: Promise<string> | undefined;
  #named: ((path: string) => void) | undefined;
  #located = false;
  #ended: HostError | undefined;

  constructor(options: HttpOptions) {
    this.#client = new HttpClient(options);
    this.#acceptMs = options.acceptTimeoutMs ?? ACCEPT_MS;
  }

  /** Resolves when the server has said where messages go, with the path. Rejects with a `HostError` if it does not. */
  open(): Promise<string> {
    this.#opening ??= new Promise((resolve, reject) => {
      this.#named = resolve;
      void this.#listen().then(reject);
    });
    return this.#opening;
  }

  start(events: TransportEvents): void {
    this.#events = events;
    for (const incoming of this.#early.splice(0)) events.message(incoming);
    if (this.#ended) events.closed(this.#ended);
    // That it fails is stated as its end.
    else this.open().catch(() => {});
  }

  async send(message: Message, headers?: WireHeaders): Promise<void> {
    const isRequest = "method" in message && "id" in message;
    try {
      await this.#post(isRequest ? message.id : message, message, headers, isRequest ? undefined : this.#acceptMs);
    } catch (thrown) {
      if (!isRequest) throw thrown;
      this.#events?.lost(message.id, toHostError(thrown));
    }
  }

  drop(id: RequestId): void {
    this.#sending.get(id)?.break();
  }

  async close(): Promise<void> {
    this.#end(new HostError("CONNECTION_CLOSED", { server: this.#client.server }), false);
    await this.#client.close();
  }

  /** Resolves with why there is no stream any more. */
  async #listen(): Promise<HostError> {
    let error: HostError;
    try {
      const headers = this.#client.headers(STREAM_HEADERS);
      const response = await this.#client.open({ method: "GET", headers }, this.#stream);
      if (!response.isEventStream) throw this.#client.refused(response, "no stream of events");
      await this.#client.events(response, (event) => this.#hear(event));
      error = this.#client.lost("the stream ended");
    } catch (thrown) {
      error = toHostError(thrown);
    }
    this.#end(error, true);
    return this.#ended ?? error;
  }

  #hear({ event, data }: SseEvent): void {
    if (event === "endpoint") return this.#locate(data);
    if (event !== "message" || data === "") return;
    const incoming = parseMessage(data);
    if (this.#events) this.#events.message(incoming);
    else if (this.#located) this.#early.push(incoming);
  }

  /** The first one counts. */
  #locate(data: string): void {
    const { url, server } = this.#client;
    const there = parseUrl(data, url);
    if (there?.origin === url.origin) {
      this.#located = true;
      return this.#named?.(there.pathname + there.search);
    }
    const what = `it wants messages sent to ${quote(there?.origin ?? data)}, which is not its own origin`;
    throw new HostError("UNEXPECTED_RESPONSE", { server, what });
  }

  async #post(key: RequestId | Message, message: Message, headers?: WireHeaders, withinMs?: number): Promise<void> {
    const { server } = this.#client;
    if (this.#sending.size >= MAX_SENDING) throw new HostError("TOO_MANY_CALLS", { server, limit: MAX_SENDING });
    const body = writeMessage(message);
    const breaker = new Breaker();
    this.#sending.set(key, breaker);
    try {
      const path = await this.open();
      if (this.#ended) throw this.#ended;
      if (breaker.broken) return;
      const all = this.#client.headers(headers, POST_HEADERS);
      const response = await this.#client.open({ method: "POST", headers: all, body, path, withinMs }, breaker);
      if (response.status >= 300) throw this.#client.refused(response);
      void response.discard();
    } catch (thrown) {
      if (this.#ended || !breaker.broken) throw this.#ended ?? thrown;
      // What was dropped nobody waits for.
      if (withinMs !== undefined) throw this.#client.lost(`it did not accept a message in ${withinMs} ms`);
    } finally {
      this.#sending.delete(key);
    }
  }

  #end(error: HostError, tell: boolean): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#stream.break();
    for (const breaker of this.#sending.values()) breaker.break();
    if (tell) this.#events?.closed(error);
  }
}
