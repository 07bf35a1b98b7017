/**
 * MCP over HTTP+SSE (2024-11-05). All incoming messages arrive on one GET stream. Its first event names the endpoint to
 * which messages are POSTed. The endpoint must be on the server's own origin.
 */
import { HostError, parseUrl, toHostError } from "@plugboard/contracts";
import type { ParsedMessage, Message, RequestId } from "../../wire/message.ts";
import { describeValue } from "../../lib/describe-value.ts";
import type { Transport, TransportEvents, WireHeaders } from "../../wire/transport.ts";
import { serializeMessage } from "../../wire/message.ts";
import { RequestAborter } from "../http/request-aborter.ts";
import { DEFAULT_ACCEPT_TIMEOUT_MS } from "../streamable-http/http-transport.ts";
import { HttpClient } from "../http/http-client.ts";
import type { HttpTransportOptions } from "../streamable-http/http-transport.ts";
import { parseMessage } from "../messages/parse-message.ts";
import type { SseEvent } from "../http/sse-parser.ts";

const STREAM_HEADERS: WireHeaders = { accept: "text/event-stream" };
const POST_HEADERS: WireHeaders = { "content-type": "application/json" };

/** How many messages may be in flight at once. */
const MAX_SENDING = 2048;

export class SseTransport implements Transport {
  readonly multiplexed = true;

  readonly #client: HttpClient;
  readonly #acceptTimeoutMs: number;
  readonly #streamAborter = new RequestAborter();
  /** The key is the id of a request, or the message itself if it is no request. */
  readonly #sending = new Map<RequestId | Message, RequestAborter>();
  /** Messages that arrived after the endpoint event but before `start`. */
  readonly #buffered: ParsedMessage[] = [];
  #events: TransportEvents | undefined;
  #opening: Promise<string> | undefined;
  #resolveEndpoint: ((path: string) => void) | undefined;
  #hasEndpoint = false;
  #closeError: HostError | undefined;

  constructor(options: HttpTransportOptions) {
    this.#client = new HttpClient(options);
    this.#acceptTimeoutMs = options.acceptTimeoutMs ?? DEFAULT_ACCEPT_TIMEOUT_MS;
  }

  /** Resolves with the path of the endpoint. Rejects with a `HostError` if the server does not send it. */
  open(): Promise<string> {
    this.#opening ??= new Promise((resolve, reject) => {
      this.#resolveEndpoint = resolve;
      void this.#listen().then(reject);
    });
    return this.#opening;
  }

  start(events: TransportEvents): void {
    this.#events = events;
    for (const incoming of this.#buffered.splice(0)) events.message(incoming);
    if (this.#closeError) events.closed(this.#closeError);
    // The `closed` event reports the error if the stream can't be opened.
    else this.open().catch(() => {});
  }

  async send(message: Message, headers?: WireHeaders): Promise<void> {
    const isRequest = "method" in message && "id" in message;
    try {
      await this.#post(
        isRequest ? message.id : message,
        message,
        headers,
        isRequest ? undefined : this.#acceptTimeoutMs,
      );
    } catch (thrown) {
      if (!isRequest) throw thrown;
      this.#events?.requestFailed(message.id, toHostError(thrown));
    }
  }

  closeRequestStream(id: RequestId): void {
    this.#sending.get(id)?.abort();
  }

  async close(): Promise<void> {
    this.#closeWith(new HostError("CONNECTION_CLOSED", { server: this.#client.server }));
    await this.#client.close();
  }

  /** Opens the stream and reads it to its end. Resolves with the reason for the end. */
  async #listen(): Promise<HostError> {
    let error: HostError;
    try {
      const headers = this.#client.headers(STREAM_HEADERS);
      const response = await this.#client.open({ method: "GET", headers }, this.#streamAborter);
      if (!response.isEventStream) throw this.#client.statusError(response, "no event stream");
      await this.#client.events(response, (event) => this.#onEvent(event));
      error = this.#client.connectionLost("the stream ended");
    } catch (thrown) {
      error = toHostError(thrown);
    }
    if (this.#closeWith(error)) this.#events?.closed(error);
    return this.#closeError ?? error;
  }

  #onEvent({ event, data }: SseEvent): void {
    if (event === "endpoint") return this.#onEndpoint(data);
    if (event !== "message" || data === "") return;
    const incoming = parseMessage(data);
    if (this.#events) this.#events.message(incoming);
    else if (this.#hasEndpoint) this.#buffered.push(incoming);
  }

  /** Only the first endpoint event counts. */
  #onEndpoint(data: string): void {
    const { url, server } = this.#client;
    const endpointUrl = parseUrl(data, url);
    if (endpointUrl?.origin === url.origin) {
      this.#hasEndpoint = true;
      return this.#resolveEndpoint?.(endpointUrl.pathname + endpointUrl.search);
    }
    const reason = `it names the endpoint ${describeValue(endpointUrl?.origin ?? data)}, which is not its own origin`;
    throw new HostError("UNEXPECTED_RESPONSE", { server, reason });
  }

  async #post(key: RequestId | Message, message: Message, headers?: WireHeaders, timeoutMs?: number): Promise<void> {
    const { server } = this.#client;
    if (this.#sending.size >= MAX_SENDING) throw new HostError("TOO_MANY_CALLS", { server, limit: MAX_SENDING });
    const body = serializeMessage(message);
    const aborter = new RequestAborter();
    this.#sending.set(key, aborter);
    try {
      const path = await this.open();
      if (this.#closeError) throw this.#closeError;
      if (aborter.aborted) return;
      const postHeaders = this.#client.headers(headers, POST_HEADERS);
      const response = await this.#client.open(
        { method: "POST", headers: postHeaders, body, path, timeoutMs },
        aborter,
      );
      if (response.status >= 300) throw this.#client.statusError(response);
      void response.discard();
    } catch (thrown) {
      if (this.#closeError) throw this.#closeError;
      if (!aborter.aborted) throw thrown;
      if (timeoutMs !== undefined) throw this.#client.connectionLost(`it did not accept a message in ${timeoutMs} ms`);
      // A message without a timeout is a request. It was aborted because nobody waits for its response.
    } finally {
      this.#sending.delete(key);
    }
  }

  /** Returns false if the transport was already closed. */
  #closeWith(error: HostError): boolean {
    if (this.#closeError) return false;
    this.#closeError = error;
    this.#streamAborter.abort();
    for (const aborter of this.#sending.values()) aborter.abort();
    return true;
  }
}
