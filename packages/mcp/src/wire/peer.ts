/**
 * One end of a JSON-RPC conversation: pairs answers with requests, keeps their
 * time, and fails them all at once when the wire ends. Knows envelopes and the
 * two methods that are part of keeping time (progress, cancelled), nothing else.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { JsonObject, PeerError, Progress } from "@plugboard/contracts";
import type { Clock } from "../lib/clock.ts";
import { Deadlines } from "./deadlines.ts";
import { OutgoingRequest } from "./outgoing-request.ts";
import type { OutgoingRequestOptions, RpcResponse } from "./outgoing-request.ts";
import type { ParsedMessage, Malformed, Message, NotificationMessage, RequestId, RequestMessage } from "./message.ts";
import { IncomingRequests } from "./incoming-requests.ts";
import { INTERNAL_ERROR, INVALID_REQUEST } from "./rpc-error-codes.ts";
import { RequestTable } from "./request-table.ts";
import { isTapped, tap } from "./tap.ts";
import type { Transport, WireHeaders } from "./transport.ts";
import { AbandonedRequests } from "./abandoned-requests.ts";

export interface PeerEvents {
  /** The other side asks; whoever takes it must `respond` or `refuse`. */
  request(message: RequestMessage, relatedRequestId: RequestId | undefined): void;
  notification(message: NotificationMessage, relatedRequestId: RequestId | undefined): void;
  /** An answer came to something nobody waits for any more. */
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
  /** Says `notifications/cancelled` when the request is given up; otherwise only its stream is closed. */
  readonly sendCancelled?: boolean;
}

const MAX_IN_FLIGHT = 1024;
/** What the other side may have asked at once; anything more is refused. */
const MAX_INCOMING = 1024;

export class Peer {
  /** The revision that frames are written by; the dialect sets it as soon as it knows. */
  revision = "";
  /**
   * Answers nobody waited for, messages that broke the rules, what was never meant as a message, and messages of
   * ours that were not taken.
   */
  readonly counters = { late: 0, malformed: 0, noise: 0, undelivered: 0 };

  readonly #options: PeerOptions;
  readonly #pending = new RequestTable<OutgoingRequest<PeerRequestOptions>>();
  readonly #incoming = new IncomingRequests();
  readonly #abandoned = new AbandonedRequests();
  readonly #deadlines: Deadlines;
  #handlers: PeerEvents | undefined;
  #closeError: HostError | undefined;
  #lastId = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock);
    options.transport.start({
      message: (incoming, via) => this.#receive(incoming, via),
      requestFailed: (id, error) => this.#pending.get(id)?.fail(error),
      closed: (error) => this.#failAll(error),
    });
  }

  /** Who hears what the other side says of its own accord. May change while a conversation is being opened. */
  setEventHandlers(handlers: PeerEvents): void {
    this.#handlers = handlers;
  }

  get closed(): boolean {
    return this.#closeError !== undefined;
  }

  get ignoredMessages(): number {
    return this.counters.noise + this.counters.malformed;
  }

  get transport(): Transport {
    return this.#options.transport;
  }

  /** Requests of ours that wait for an answer. */
  get inFlight(): number {
    return this.#pending.size;
  }

  /** Returns true while the other side may work on a request that was given up before it timed out. */
  get mayBeBusy(): boolean {
    return this.#abandoned.anyRunning(this.#deadlines.now());
  }

  request(
    method: string,
    params: (id: number) => JsonObject,
    options: PeerRequestOptions = {},
  ): OutgoingRequest<PeerRequestOptions> {
    const { server, maxInFlight = MAX_IN_FLIGHT } = this.#options;
    const id = ++this.#lastId;
    const request = new OutgoingRequest(id, method, server, this.#deadlines, options, this.#onSettled);
    if (this.#closeError) {
      request.fail(this.#closeError);
    } else if (this.#pending.size >= maxInFlight) {
      request.fail(new HostError("TOO_MANY_CALLS", { server, limit: maxInFlight }));
    } else {
      this.#pending.set(id, request);
      request.start();
      if (!request.settled) this.#sendRequest(request, params, options.headers);
    }
    return request;
  }

  notify(method: string, params?: JsonObject, headers?: WireHeaders): Promise<void> {
    return this.#send({ jsonrpc: "2.0", method, ...(params && { params }) }, headers);
  }

  /** `via` is what came with the question. Rejects if the answer could not be delivered. */
  respond(id: RequestId, result: JsonObject, headers?: WireHeaders, relatedRequestId?: RequestId): Promise<void> {
    return this.#sendResponse(id, relatedRequestId, { jsonrpc: "2.0", id, result }, headers);
  }

  respondWithError(id: RequestId, error: PeerError, headers?: WireHeaders, relatedRequestId?: RequestId): void {
    this.#sendResponse(id, relatedRequestId, { jsonrpc: "2.0", id, error }, headers).catch(ignoreCounted);
  }

  /** The other side took its request back: it gets no answer. */
  forget(id: RequestId, relatedRequestId?: RequestId): void {
    this.#incoming.forget(id, relatedRequestId);
  }

  async close(): Promise<void> {
    this.#failAll(new HostError("CONNECTION_CLOSED", { server: this.#options.server }));
    await this.#options.transport.close();
  }

  /** One for all of them: it runs for every request. */
  readonly #onSettled = (
    { id, cancelReason, wouldTimeOutAt, options }: OutgoingRequest<PeerRequestOptions>,
    givenUp: boolean,
  ): void => {
    this.#pending.delete(id);
    if (!givenUp) return;
    // Over a stream of its own no late answer can come.
    if (wouldTimeOutAt !== undefined && this.#options.transport.multiplexed) this.#abandoned.add(id, wouldTimeOutAt);
    if (options.sendCancelled) this.#notifyCancelled(id, cancelReason, options.headers);
    this.#options.transport.closeRequestStream(id);
  };

  /** What keeps a request from being sent, be it what it carries, ends it here. */
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
    const requestMethod = this.#incoming.take(id, relatedRequestId);
    if (requestMethod !== undefined) await this.#send(message, headers, requestMethod);
  }

  /** The request has ended for us already; if the notice can't be delivered the wire is broken and says so itself. */
  #notifyCancelled(requestId: RequestId, reason: string, headers: WireHeaders | undefined): void {
    this.notify("notifications/cancelled", { requestId, reason }, headers).catch(ignoreCounted);
  }

  async #send(message: Message, headers?: WireHeaders, requestMethod?: string): Promise<void> {
    if (this.#closeError) return;
    try {
      await this.#transmit(message, headers, requestMethod);
    } catch (error) {
      this.counters.undelivered += 1;
      throw error;
    }
  }

  #transmit(message: Message, headers?: WireHeaders, requestMethod?: string): Promise<void> | undefined {
    if (isTapped()) this.#tapSent(message, requestMethod);
    return this.#options.transport.send(message, headers);
  }

  /** Whatever a message makes go wrong stays with that message. */
  #receive(incoming: ParsedMessage, relatedRequestId: RequestId | undefined): void {
    try {
      if (isTapped()) this.#tapReceived(incoming, relatedRequestId);
      this.#dispatch(incoming, relatedRequestId);
    } catch (error) {
      this.#treatAsMalformed(incoming, relatedRequestId, toHostError(error).message);
    }
  }

  #tapSent(message: Message, requestMethod: string | undefined): void {
    const { revision } = this;
    tap(() => ({
      direction: "sent",
      role: "client",
      revision,
      message,
      ...(requestMethod !== undefined && { answers: requestMethod }),
    }));
  }

  #tapReceived(incoming: ParsedMessage, relatedRequestId: RequestId | undefined): void {
    if (incoming.type === "malformed") return;
    const { message } = incoming;
    const { revision } = this;
    tap(() => {
      const requestMethod =
        "method" in message ? undefined : this.#pendingRequest(message.id ?? relatedRequestId)?.method;
      return {
        direction: "received",
        role: "client",
        revision,
        message,
        ...(requestMethod !== undefined && { answers: requestMethod }),
      };
    });
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
        if (incoming.message.method === "notifications/progress") return this.#onProgress(incoming.message.params);
        return this.#handlers?.notification(incoming.message, relatedRequestId);
      case "malformed":
        return this.#onMalformed(incoming, relatedRequestId);
    }
  }

  #onRequest(message: RequestMessage, relatedRequestId: RequestId | undefined): void {
    const { id, method } = message;
    const full = this.#incoming.size >= MAX_INCOMING;
    this.#incoming.add(id, relatedRequestId, method);
    if (!full) return this.#handlers?.request(message, relatedRequestId);
    const error = { code: INTERNAL_ERROR, message: `more than ${MAX_INCOMING} requests wait for an answer` };
    this.respondWithError(id, error, undefined, relatedRequestId);
  }

  #treatAsMalformed(incoming: ParsedMessage, relatedRequestId: RequestId | undefined, reason: string): void {
    if (incoming.type === "malformed") return;
    const { message } = incoming;
    const id = "id" in message ? message.id : undefined;
    const looksLike = "method" in message ? "request" : "answer";
    if (looksLike === "request" && id !== undefined) this.forget(id, relatedRequestId);
    this.#onMalformed({ type: "malformed", reason, looksLike, ...(id !== undefined && { id }) }, relatedRequestId);
  }

  #onResponse(id: RequestId | undefined, response: RpcResponse): void {
    const request = this.#pendingRequest(id);
    if (request) return request.receive(response);
    this.counters.late += 1;
    if (id === undefined) return;
    this.#abandoned.answered(id);
    this.#handlers?.lateResponse?.(id);
  }

  #pendingRequest(id: RequestId | undefined): OutgoingRequest | undefined {
    return id === undefined ? undefined : this.#pending.get(id);
  }

  #onMalformed({ reason, looksLike, id }: Malformed, relatedRequestId: RequestId | undefined): void {
    this.counters[looksLike === "noise" && relatedRequestId === undefined ? "noise" : "malformed"] += 1;
    const affected = this.#affectedRequests(looksLike, id, relatedRequestId);
    // An error costs a stack trace, and a server may write noise without end.
    if (affected.length > 0) {
      const error = new HostError("INVALID_MESSAGE", { server: this.#options.server, reason });
      for (const exchange of affected) exchange.fail(error);
    }
    if (looksLike !== "request" || id === undefined) return;
    this.#send({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: reason } }).catch(ignoreCounted);
  }

  /**
   * An answer without an id puts every request in flight in doubt, unless it came on the stream of one. Noise can
   * spoil nothing but such a stream, whatever ids it mentions.
   */
  #affectedRequests(
    looksLike: Malformed["looksLike"],
    id: RequestId | undefined,
    relatedRequestId: RequestId | undefined,
  ): OutgoingRequest[] {
    if (looksLike === "request") return [];
    const named = looksLike === "noise" ? relatedRequestId : (id ?? relatedRequestId);
    if (named === undefined) return looksLike === "answer" ? this.#pending.values() : [];
    const request = this.#pendingRequest(named);
    return request ? [request] : [];
  }

  #onProgress(params: JsonObject | undefined): void {
    const token = params?.["progressToken"];
    if (typeof token !== "number" || typeof params?.["progress"] !== "number") return;
    const { progress, total, message } = params;
    const report: Progress = {
      progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    };
    this.#pending.get(token)?.progress(report);
  }

  #failAll(error: HostError): void {
    if (this.#closeError) return;
    this.#closeError = error;
    for (const exchange of this.#pending.values()) exchange.fail(error);
    this.#deadlines.clear();
    this.#incoming.clear();
    this.#handlers?.closed(error);
  }
}

/** `#send` has counted it; there is nobody else to tell. */
function ignoreCounted(): void {}
