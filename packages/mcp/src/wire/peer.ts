/**
 * One end of a JSON-RPC conversation: pairs answers with requests, keeps their
 * time, and fails them all at once when the wire ends. Knows envelopes and the
 * two methods that are part of keeping time (progress, cancelled), nothing else.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { JsonObject, PeerError, Progress } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import { Deadlines } from "./deadlines.ts";
import { Exchange } from "./exchange.ts";
import type { ExchangeOptions, Reply } from "./exchange.ts";
import type { Incoming, Malformed, Message, NotificationMessage, RequestId, RequestMessage } from "./message.ts";
import { OpenQuestions } from "./open-questions.ts";
import { INTERNAL_ERROR, INVALID_REQUEST } from "./rpc-codes.ts";
import { Slots } from "./slots.ts";
import { isTapped, tap } from "./tap.ts";
import type { Transport, WireHeaders } from "./transport.ts";
import { Unfinished } from "./unfinished.ts";

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
/** What the other side may have asked at once; anything more is refused. */
const MAX_QUESTIONS = 1024;

export class Peer {
  /** The revision that frames are written by; the dialect sets it as soon as it knows. */
  revision = "";
  /**
   * Answers nobody waited for, messages that broke the rules, what was never meant as a message, and messages of
   * ours that were not taken.
   */
  readonly counters = { late: 0, malformed: 0, noise: 0, undelivered: 0 };

  readonly #options: PeerOptions;
  readonly #pending = new Slots<Exchange<PeerRequest>>();
  readonly #asked = new OpenQuestions();
  readonly #unfinished = new Unfinished();
  readonly #deadlines: Deadlines;
  #events: PeerEvents | undefined;
  #closed: HostError | undefined;
  #lastId = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock);
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

  get closed(): boolean {
    return this.#closed !== undefined;
  }

  get passedOver(): number {
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
  get unfinished(): boolean {
    return this.#unfinished.any(this.#deadlines.now());
  }

  request(method: string, params: (id: number) => JsonObject, options: PeerRequest = {}): Exchange<PeerRequest> {
    const { server, maxInFlight = MAX_IN_FLIGHT } = this.#options;
    const id = ++this.#lastId;
    const exchange = new Exchange(id, method, server, this.#deadlines, options, this.#ended);
    if (this.#closed) {
      exchange.fail(this.#closed);
    } else if (this.#pending.size >= maxInFlight) {
      exchange.fail(new HostError("TOO_MANY_CALLS", { server, limit: maxInFlight }));
    } else {
      this.#pending.set(id, exchange);
      exchange.start();
      if (!exchange.settled) this.#begin(exchange, params, options.headers);
    }
    return exchange;
  }

  notify(method: string, params?: JsonObject, headers?: WireHeaders): Promise<void> {
    return this.#send({ jsonrpc: "2.0", method, ...(params && { params }) }, headers);
  }

  /** `via` is what came with the question. Rejects if the answer could not be delivered. */
  respond(id: RequestId, result: JsonObject, headers?: WireHeaders, via?: RequestId): Promise<void> {
    return this.#answer(id, via, { jsonrpc: "2.0", id, result }, headers);
  }

  refuse(id: RequestId, error: PeerError, headers?: WireHeaders, via?: RequestId): void {
    this.#answer(id, via, { jsonrpc: "2.0", id, error }, headers).catch(counted);
  }

  /** The other side took its request back: it gets no answer. */
  forget(id: RequestId, via?: RequestId): void {
    this.#asked.forget(id, via);
  }

  async close(): Promise<void> {
    this.#end(new HostError("CONNECTION_CLOSED", { server: this.#options.server }));
    await this.#options.transport.close();
  }

  /** One for all of them: it runs for every request. */
  readonly #ended = ({ id, reason, wouldEndAt, options }: Exchange<PeerRequest>, givenUp: boolean): void => {
    this.#pending.delete(id);
    if (!givenUp) return;
    // Over a stream of its own no late answer can come.
    if (wouldEndAt !== undefined && this.#options.transport.shared) this.#unfinished.add(id, wouldEndAt);
    if (options.cancelNotice) this.#giveNotice(id, reason, options.headers);
    this.#options.transport.drop(id);
  };

  /** What keeps a request from being sent, be it what it carries, ends it here. */
  #begin(exchange: Exchange, params: (id: number) => JsonObject, headers?: WireHeaders): void {
    const { id, method } = exchange;
    try {
      const sent = this.#transmit({ jsonrpc: "2.0", id, method, params: params(id) }, headers);
      sent?.catch((error: unknown) => {
        this.counters.undelivered += 1;
        exchange.fail(toHostError(error));
      });
    } catch (error) {
      this.counters.undelivered += 1;
      exchange.fail(toHostError(error));
    }
  }

  async #answer(id: RequestId, via: RequestId | undefined, message: Message, headers?: WireHeaders): Promise<void> {
    const answers = this.#asked.take(id, via);
    if (answers !== undefined) await this.#send(message, headers, answers);
  }

  /** The request has ended for us already; if the notice can't be delivered the wire is broken and says so itself. */
  #giveNotice(requestId: RequestId, reason: string, headers: WireHeaders | undefined): void {
    this.notify("notifications/cancelled", { requestId, reason }, headers).catch(counted);
  }

  async #send(message: Message, headers?: WireHeaders, answers?: string): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#transmit(message, headers, answers);
    } catch (error) {
      this.counters.undelivered += 1;
      throw error;
    }
  }

  #transmit(message: Message, headers?: WireHeaders, answers?: string): Promise<void> | undefined {
    if (isTapped()) this.#tapSent(message, answers);
    return this.#options.transport.send(message, headers);
  }

  /** Whatever a message makes go wrong stays with that message. */
  #receive(incoming: Incoming, via: RequestId | undefined): void {
    try {
      if (isTapped()) this.#tapReceived(incoming, via);
      this.#dispatch(incoming, via);
    } catch (error) {
      this.#unusable(incoming, via, toHostError(error).message);
    }
  }

  #tapSent(message: Message, answers: string | undefined): void {
    const { revision } = this;
    tap(() => ({ direction: "sent", role: "client", revision, message, ...(answers !== undefined && { answers }) }));
  }

  #tapReceived(incoming: Incoming, via: RequestId | undefined): void {
    if (incoming.type === "malformed") return;
    const { message } = incoming;
    const { revision } = this;
    tap(() => {
      const answers = "method" in message ? undefined : this.#exchange(message.id ?? via)?.method;
      return { direction: "received", role: "client", revision, message, ...(answers !== undefined && { answers }) };
    });
  }

  #dispatch(incoming: Incoming, via: RequestId | undefined): void {
    switch (incoming.type) {
      case "result": {
        const { id, result } = incoming.message;
        return this.#settle(id, { ok: true, result });
      }
      case "error": {
        const { id = via, error } = incoming.message;
        return this.#settle(id, { ok: false, error });
      }
      case "request":
        return this.#ask(incoming.message, via);
      case "notification":
        if (incoming.message.method === "notifications/progress") return this.#progress(incoming.message.params);
        return this.#events?.notification(incoming.message, via);
      case "malformed":
        return this.#malformed(incoming, via);
    }
  }

  #ask(message: RequestMessage, via: RequestId | undefined): void {
    const { id, method } = message;
    const full = this.#asked.size >= MAX_QUESTIONS;
    this.#asked.add(id, via, method);
    if (!full) return this.#events?.request(message, via);
    const error = { code: INTERNAL_ERROR, message: `more than ${MAX_QUESTIONS} requests wait for an answer` };
    this.refuse(id, error, undefined, via);
  }

  #unusable(incoming: Incoming, via: RequestId | undefined, why: string): void {
    if (incoming.type === "malformed") return;
    const { message } = incoming;
    const id = "id" in message ? message.id : undefined;
    const like = "method" in message ? "request" : "answer";
    if (like === "request" && id !== undefined) this.forget(id, via);
    this.#malformed({ type: "malformed", why, like, ...(id !== undefined && { id }) }, via);
  }

  #settle(id: RequestId | undefined, reply: Reply): void {
    const exchange = this.#exchange(id);
    if (exchange) return exchange.answer(reply);
    this.counters.late += 1;
    if (id === undefined) return;
    this.#unfinished.answered(id);
    this.#events?.late?.(id);
  }

  #exchange(id: RequestId | undefined): Exchange | undefined {
    return id === undefined ? undefined : this.#pending.get(id);
  }

  #malformed({ why: what, like, id }: Malformed, via: RequestId | undefined): void {
    this.counters[like === "noise" && via === undefined ? "noise" : "malformed"] += 1;
    const spoiled = this.#spoiled(like, id, via);
    // An error costs a stack trace, and a server may write noise without end.
    if (spoiled.length > 0) {
      const error = new HostError("INVALID_MESSAGE", { server: this.#options.server, what });
      for (const exchange of spoiled) exchange.fail(error);
    }
    if (like !== "request" || id === undefined) return;
    this.#send({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: what } }).catch(counted);
  }

  /**
   * An answer without an id puts every request in flight in doubt, unless it came on the stream of one. Noise can
   * spoil nothing but such a stream, whatever ids it mentions.
   */
  #spoiled(like: Malformed["like"], id: RequestId | undefined, via: RequestId | undefined): Exchange[] {
    if (like === "request") return [];
    const named = like === "noise" ? via : (id ?? via);
    if (named === undefined) return like === "answer" ? this.#pending.values() : [];
    const exchange = this.#exchange(named);
    return exchange ? [exchange] : [];
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
    for (const exchange of this.#pending.values()) exchange.fail(error);
    this.#deadlines.clear();
    this.#asked.clear();
    this.#events?.closed(error);
  }
}

/** `#send` has counted it; there is nobody else to tell. */
function counted(): void {}
