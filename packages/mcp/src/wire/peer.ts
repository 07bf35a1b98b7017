/**
 * One end of a JSON-RPC conversation: pairs answers with requests, keeps their
 * time, and fails them all at once when the wire ends. Knows envelopes and the
 * two methods that are part of keeping time (progress, cancelled), nothing else.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject, PeerError, Progress } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import { Exchange } from "./exchange.ts";
import type { ExchangeOptions } from "./exchange.ts";
import type { Incoming, Message, NotificationMessage, RequestId, RequestMessage } from "./message.ts";
import { tap } from "./tap.ts";
import type { Transport, WireHeaders } from "./transport.ts";

export interface PeerEvents {
  /** The other side asks; whoever takes it must `respond` or `refuse`. */
  request(message: RequestMessage, via: RequestId | undefined): void;
  notification(message: NotificationMessage, via: RequestId | undefined): void;
  /** An answer came to something nobody waits for any more. */
  late?(id: RequestId): void;
  closed(error: HostError): void;
}

export interface PeerOptions {
  readonly server: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly maxInFlight?: number;
}

export interface PeerRequest extends ExchangeOptions {
  readonly headers?: WireHeaders;
  /** Says `notifications/cancelled` when the request is given up; otherwise only its stream is closed. */
  readonly cancelNotice?: boolean;
}

const MAX_IN_FLIGHT = 1024;

export class Peer {
  /** The revision that frames are written by; the dialect sets it as soon as it knows. */
  revision = "";
  /** Answers nobody waited for, things that were no message at all, and messages of ours that were not taken. */
  readonly counters = { late: 0, malformed: 0, undelivered: 0 };

  readonly #options: PeerOptions;
  readonly #pending = new Map<RequestId, Exchange>();
  readonly #asked = new Map<RequestId, string>();
  #events: PeerEvents | undefined;
  #closed: HostError | undefined;
  #lastId = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
    options.transport.start({
      message: (incoming, via) => this.#receive(incoming, via),
      lost: (id, error) => this.#pending.get(id)?.fail(error),
      closed: (error) => this.#end(error),
    });
  }

  /** Who hears what the other side says of its own accord. May change while a conversation is being opened. */
  listen(events: PeerEvents): void {
    this.#events = events;
  }

  get transport(): Transport {
    return this.#options.transport;
  }

  request(method: string, params: (id: number) => JsonObject, options: PeerRequest = {}): Exchange {
    const { server, transport, clock, maxInFlight = MAX_IN_FLIGHT } = this.#options;
    const id = ++this.#lastId;
    const exchange = new Exchange(id, method, server, clock, options, (exchange, givenUp) => {
      this.#pending.delete(id);
      if (!givenUp) return;
      if (options.cancelNotice) this.#giveNotice(id, exchange.reason, options.headers);
      transport.drop(id);
    });
    if (this.#closed) {
      exchange.fail(this.#closed);
    } else if (this.#pending.size >= maxInFlight) {
      exchange.fail(new HostError("TOO_MANY_CALLS", { server, limit: maxInFlight }));
    } else {
      this.#pending.set(id, exchange);
      exchange.start();
      if (!exchange.settled) void this.#send({ jsonrpc: "2.0", id, method, params: params(id) }, options.headers);
    }
    return exchange;
  }

  notify(method: string, params?: JsonObject, headers?: WireHeaders): Promise<void> {
    return this.#send({ jsonrpc: "2.0", method, ...(params && { params }) }, headers);
  }

  /** Rejects if the answer could not be delivered. */
  respond(id: RequestId, result: JsonObject, headers?: WireHeaders): Promise<void> {
    return this.#answer(id, { jsonrpc: "2.0", id, result }, headers);
  }

  refuse(id: RequestId, error: PeerError, headers?: WireHeaders): void {
    this.#answer(id, { jsonrpc: "2.0", id, error }, headers).catch(counted);
  }

  /** The other side took its request back: it gets no answer. */
  forget(id: RequestId): void {
    this.#asked.delete(id);
  }

  async close(): Promise<void> {
    this.#end(new HostError("CONNECTION_CLOSED", { server: this.#options.server }));
    await this.#options.transport.close();
  }

  async #answer(id: RequestId, message: Message, headers: WireHeaders | undefined): Promise<void> {
    const answers = this.#asked.get(id);
    this.#asked.delete(id);
    if (answers !== undefined) await this.#send(message, headers, answers);
  }

  /** The request has ended for us already; if the notice can't be delivered the wire is broken and says so itself. */
  #giveNotice(requestId: RequestId, reason: string, headers: WireHeaders | undefined): void {
    this.notify("notifications/cancelled", { requestId, reason }, headers).catch(counted);
  }

  async #send(message: Message, headers?: WireHeaders, answers?: string): Promise<void> {
    if (this.#closed) return;
    const { revision } = this;
    tap(() => ({ direction: "sent", role: "client", revision, message, ...(answers !== undefined && { answers }) }));
    try {
      await this.#options.transport.send(message, headers);
    } catch (error) {
      this.counters.undelivered += 1;
      throw error;
    }
  }

  #receive(incoming: Incoming, via: RequestId | undefined): void {
    switch (incoming.type) {
      case "result":
        return this.#settle(incoming.message.id, (exchange) =>
          exchange.answer({ ok: true, result: incoming.message.result }),
        );
      case "error": {
        const { error } = incoming.message;
        return this.#settle(incoming.message.id ?? via, (exchange) => exchange.answer({ ok: false, error }));
      }
      case "request":
        this.#asked.set(incoming.message.id, incoming.message.method);
        return this.#events?.request(incoming.message, via);
      case "notification":
        if (incoming.message.method === "notifications/progress") return this.#progress(incoming.message.params);
        return this.#events?.notification(incoming.message, via);
      case "malformed":
        return this.#malformed(incoming.why, incoming.id ?? via);
    }
  }

  #settle(id: RequestId | undefined, settle: (exchange: Exchange) => void): void {
    const exchange = id === undefined ? undefined : this.#pending.get(id);
    if (exchange) return settle(exchange);
    this.counters.late += 1;
    if (id !== undefined) this.#events?.late?.(id);
  }

  /** Without an id it can't be told whose answer was spoiled: then every request in flight is in doubt. */
  #malformed(what: string, id: RequestId | undefined): void {
    this.counters.malformed += 1;
    const error = new HostError("INVALID_MESSAGE", { server: this.#options.server, what });
    if (id !== undefined) this.#pending.get(id)?.fail(error);
    else for (const exchange of [...this.#pending.values()]) exchange.fail(error);
  }

  #progress(params: JsonObject | undefined): void {
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

  #end(error: HostError): void {
    if (this.#closed) return;
    this.#closed = error;
    for (const exchange of [...this.#pending.values()]) exchange.fail(error);
    this.#asked.clear();
    this.#events?.closed(error);
  }
}

/** `#send` has counted it; there is nobody else to tell. */
function counted(): void {}
