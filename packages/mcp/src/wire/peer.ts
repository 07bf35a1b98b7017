/**
 * One end of a JSON-RPC connection. Matches responses with requests, enforces timeouts and fails every pending request
 * when the transport closes. Knows only two MCP methods: it handles progress and sends cancellations.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { JsonObject, PeerError, Clock } from "@plugboard/contracts";
import { IncomingRequests } from "./incoming-requests.ts";
import type { ParsedMessage, Malformed, Message, NotificationMessage, RequestId, RequestMessage } from "./message.ts";
import type { OutgoingRequest, OutgoingRequestOptions, RpcResponse } from "./outgoing-request.ts";
import { OutgoingRequests } from "./outgoing-requests.ts";
import { INTERNAL_ERROR, INVALID_REQUEST } from "./rpc-error-codes.ts";
import { hasSubscribers, publishMessage } from "./publish-message.ts";
import type { Transport, WireHeaders } from "./transport.ts";

export interface PeerEvents {
  /** The handler must call `respond` or `respondWithError`. */
  request(message: RequestMessage, relatedRequestId: RequestId | undefined): void;
  notification(message: NotificationMessage, relatedRequestId: RequestId | undefined): void;
  /** Called for a response to a request that has already ended. */
  lateResponse?(id: RequestId): void;
  closed(error: HostError): void;
}

export interface PeerOptions {
  readonly server: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly maxInFlight?: number;
}

export interface PeerRequestOptions extends OutgoingRequestOptions {
  readonly headers?: WireHeaders;
  /** Sends `notifications/cancelled` when the request is cancelled. Otherwise only its stream is closed. */
  readonly sendCancelled?: boolean;
}

/** How many requests of the other side may wait for an answer. Further ones get an error. */
const MAX_INCOMING = 1024;

export class Peer {
  /** The protocol revision in use. The dialect sets it as soon as it is known. */
  revision = "";
  /** Counts late responses, malformed messages, input that was no message, and our messages that could not be sent. */
  readonly counters = { late: 0, malformed: 0, noise: 0, undelivered: 0 };

  readonly #options: PeerOptions;
  readonly #outgoing: OutgoingRequests<PeerRequestOptions>;
  #incoming: IncomingRequests | undefined;
  #handlers: PeerEvents | undefined;

  constructor(options: PeerOptions) {
    const { server, transport, clock, maxInFlight } = options;
    this.#options = options;
    this.#outgoing = new OutgoingRequests({
      server,
      clock,
      maxInFlight,
      lateResponses: transport.multiplexed,
      onCancelled: (request) => this.#onCancelled(request),
    });
    transport.start({
      message: (incoming, relatedRequestId) => this.#receive(incoming, relatedRequestId),
      requestFailed: (id, error) => this.#outgoing.get(id)?.fail(error),
      closed: (error) => this.#failAll(error),
    });
  }

  /** Replaces the handlers for requests and notifications of the other side. */
  setEventHandlers(handlers: PeerEvents): void {
    this.#handlers = handlers;
  }

  get closed(): boolean {
    return this.#outgoing.closed;
  }

  get ignoredMessages(): number {
    return this.counters.noise + this.counters.malformed;
  }

  get transport(): Transport {
    return this.#options.transport;
  }

  /** The number of our requests without a response. */
  get inFlight(): number {
    return this.#outgoing.size;
  }

  /** True while the other side may work on a request that was cancelled before its timeout. */
  get mayBeBusy(): boolean {
    return this.#outgoing.mayBeBusy;
  }

  request(
    method: string,
    params: (id: number) => JsonObject,
    options: PeerRequestOptions = {},
  ): OutgoingRequest<PeerRequestOptions> {
    const request = this.#outgoing.open(method, options);
    if (!request.settled) this.#sendRequest(request, params, options.headers);
    return request;
  }

  notify(method: string, params?: JsonObject, headers?: WireHeaders): Promise<void> {
    return this.#send({ jsonrpc: "2.0", method, ...(params && { params }) }, headers);
  }

  /** `relatedRequestId` is the one that came with the request. Rejects if the response cannot be delivered. */
  respond(id: RequestId, result: JsonObject, headers?: WireHeaders, relatedRequestId?: RequestId): Promise<void> {
    return this.#sendResponse(id, relatedRequestId, { jsonrpc: "2.0", id, result }, headers);
  }

  respondWithError(id: RequestId, error: PeerError, headers?: WireHeaders, relatedRequestId?: RequestId): void {
    this.#sendResponse(id, relatedRequestId, { jsonrpc: "2.0", id, error }, headers).catch(ignoreCounted);
  }

  /** Drops a request that the other side has cancelled. It gets no response. */
  forget(id: RequestId, relatedRequestId?: RequestId): void {
    this.#incoming?.forget(id, relatedRequestId);
  }

  async close(): Promise<void> {
    this.#failAll(new HostError("CONNECTION_CLOSED", { server: this.#options.server }));
    await this.#options.transport.close();
  }

  #onCancelled({ id, cancelReason, options }: OutgoingRequest<PeerRequestOptions>): void {
    if (options.sendCancelled) this.#notifyCancelled(id, cancelReason, options.headers);
    this.#options.transport.closeRequestStream(id);
  }

  /** A request that cannot be sent or serialized fails here. */
  #sendRequest(request: OutgoingRequest, params: (id: number) => JsonObject, headers?: WireHeaders): void {
    const { id, method } = request;
    try {
      const sent = this.#transmit({ jsonrpc: "2.0", id, method, params: params(id) }, headers);
      sent?.catch((error: unknown) => {
        this.counters.undelivered += 1;
        request.fail(toHostError(error));
      });
    } catch (error) {
      this.counters.undelivered += 1;
      request.fail(toHostError(error));
    }
  }

  async #sendResponse(
    id: RequestId,
    relatedRequestId: RequestId | undefined,
    message: Message,
    headers?: WireHeaders,
  ): Promise<void> {
    const requestMethod = this.#incoming?.take(id, relatedRequestId);
    if (requestMethod !== undefined) await this.#send(message, headers, requestMethod);
  }

  /** A failure to send is only counted: our request has ended, and a broken transport reports itself. */
  #notifyCancelled(requestId: RequestId, reason: string, headers: WireHeaders | undefined): void {
    this.notify("notifications/cancelled", { requestId, reason }, headers).catch(ignoreCounted);
  }

  async #send(message: Message, headers?: WireHeaders, requestMethod?: string): Promise<void> {
    if (this.#outgoing.closed) return;
    try {
      await this.#transmit(message, headers, requestMethod);
    } catch (error) {
      this.counters.undelivered += 1;
      throw error;
    }
  }

  #transmit(message: Message, headers?: WireHeaders, requestMethod?: string): Promise<void> | undefined {
    if (hasSubscribers()) this.#publish("sent", message, requestMethod);
    return this.#options.transport.send(message, headers);
  }

  /** Treats a message as malformed if handling it throws, so that it cannot affect other messages. */
  #receive(incoming: ParsedMessage, relatedRequestId: RequestId | undefined): void {
    try {
      if (hasSubscribers()) this.#publishReceived(incoming, relatedRequestId);
      this.#dispatch(incoming, relatedRequestId);
    } catch (error) {
      this.#treatAsMalformed(incoming, relatedRequestId, toHostError(error).message);
    }
  }

  #publishReceived(incoming: ParsedMessage, relatedRequestId: RequestId | undefined): void {
    if (incoming.type === "malformed") return;
    const { message } = incoming;
    const request = "method" in message ? undefined : this.#outgoing.get(message.id ?? relatedRequestId);
    this.#publish("received", message, request?.method);
  }

  #publish(direction: "sent" | "received", message: Message, requestMethod: string | undefined): void {
    publishMessage(() => ({
      direction,
      role: "client",
      revision: this.revision,
      message,
      ...(requestMethod !== undefined && { answers: requestMethod }),
    }));
  }

  #dispatch(incoming: ParsedMessage, relatedRequestId: RequestId | undefined): void {
    switch (incoming.type) {
      case "result": {
        const { id, result } = incoming.message;
        return this.#onResponse(id, { ok: true, result });
      }
      case "error": {
        const { id = relatedRequestId, error } = incoming.message;
        return this.#onResponse(id, { ok: false, error });
      }
      case "request":
        return this.#onRequest(incoming.message, relatedRequestId);
      case "notification":
        if (incoming.message.method === "notifications/progress") {
          return this.#outgoing.onProgress(incoming.message.params);
        }
        return this.#handlers?.notification(incoming.message, relatedRequestId);
      case "malformed":
        return this.#onMalformed(incoming, relatedRequestId);
    }
  }

  #onRequest(message: RequestMessage, relatedRequestId: RequestId | undefined): void {
    const { id, method } = message;
    const incoming = (this.#incoming ??= new IncomingRequests());
    const isFull = incoming.size >= MAX_INCOMING;
    incoming.add(id, relatedRequestId, method);
    if (!isFull) return this.#handlers?.request(message, relatedRequestId);
    const error = { code: INTERNAL_ERROR, message: `more than ${MAX_INCOMING} requests wait for an answer` };
    this.respondWithError(id, error, undefined, relatedRequestId);
  }

  #onResponse(id: RequestId | undefined, response: RpcResponse): void {
    const request = this.#outgoing.get(id);
    if (request) return request.receive(response);
    this.counters.late += 1;
    if (id === undefined) return;
    this.#outgoing.onLateResponse(id);
    this.#handlers?.lateResponse?.(id);
  }

  #treatAsMalformed(incoming: ParsedMessage, relatedRequestId: RequestId | undefined, reason: string): void {
    if (incoming.type === "malformed") return;
    const { message } = incoming;
    const id = "id" in message ? message.id : undefined;
    const looksLike = "method" in message ? "request" : "response";
    if (looksLike === "request" && id !== undefined) this.forget(id, relatedRequestId);
    this.#onMalformed({ type: "malformed", reason, looksLike, ...(id !== undefined && { id }) }, relatedRequestId);
  }

  #onMalformed(malformed: Malformed, relatedRequestId: RequestId | undefined): void {
    const { reason, looksLike, id } = malformed;
    this.counters[looksLike === "noise" && relatedRequestId === undefined ? "noise" : "malformed"] += 1;
    const affected = this.#outgoing.affectedBy(malformed, relatedRequestId);
    // Creates the error only if it is needed: a stack trace is slow, and a server may write endless noise.
    if (affected.length > 0) {
      const error = new HostError("INVALID_MESSAGE", { server: this.#options.server, reason });
      for (const request of affected) request.fail(error);
    }
    if (looksLike !== "request" || id === undefined) return;
    this.#send({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: reason } }).catch(ignoreCounted);
  }

  #failAll(error: HostError): void {
    if (this.#outgoing.closed) return;
    this.#outgoing.close(error);
    this.#incoming?.clear();
    this.#handlers?.closed(error);
  }
}

/** Ignores a failure that `#send` has already counted. */
function ignoreCounted(): void {}
