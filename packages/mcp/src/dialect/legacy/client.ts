/**
 * The client side of the legacy revisions (2024-11-05 to 2025-11-25) after the
 * handshake. A server's question is tied to a call if it came on that call's own
 * stream, or if no other call could have caused it; otherwise it is a stray.
 */
import { isPeerError } from "@plugboard/contracts";
import type { HostError, JsonObject } from "@plugboard/contracts";
import type { Clock } from "../../clock.ts";
import type { Exchange } from "../../wire/exchange.ts";
import type { NotificationMessage, RequestId, RequestMessage } from "../../wire/message.ts";
import type { Peer } from "../../wire/peer.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import type { Ask } from "../ask.ts";
import { failed, refused } from "../failure.ts";
import type { Op } from "../op.ts";
import type { Outcome } from "../outcome.ts";
import { readAsk, writeAnswer } from "../read-ask.ts";
import type { CallContext, Change, Listening, ServerFacts, Session, SessionPorts } from "../session.ts";
import { LegacyCall } from "./call.ts";

export interface LegacyOptions {
  readonly server: string;
  readonly peer: Peer;
  readonly clock: Clock;
  readonly version: string;
  readonly facts: ServerFacts;
  readonly ports: SessionPorts;
}

export class LegacyClient implements Session {
  readonly era = "legacy";
  readonly version: string;
  readonly facts: ServerFacts;

  readonly #server: string;
  readonly #peer: Peer;
  readonly #clock: Clock;
  readonly #ports: SessionPorts;
  readonly #headers: WireHeaders;
  /** In flight, and those given up that the server has not settled: it may still ask on their behalf. */
  readonly #calls = new Map<RequestId, { readonly call: LegacyCall; readonly stopForgetting: () => void }>();
  readonly #strays = new Map<RequestId, AbortController>();
  readonly #listeners = new Set<(change: Change) => void>();

  constructor(options: LegacyOptions) {
    this.#server = options.server;
    this.#peer = options.peer;
    this.#clock = options.clock;
    this.#ports = options.ports;
    this.version = options.version;
    this.facts = options.facts;
    this.#headers = { "mcp-protocol-version": options.version };
    this.#peer.revision = options.version;
    this.#peer.listen({
      request: (message, via) => this.#asked(message, via),
      notification: (message) => this.#told(message),
      late: (id) => this.#settled(id),
      closed: (error) => this.#closed(error),
    });
  }

  async request(op: Op, ctx: CallContext): Promise<Outcome> {
    const { signal, timeoutMs, maxMs, onProgress } = ctx;
    const exchange = this.#peer.request(
      op.method,
      (id) => (op.method === "tools/call" ? { ...op.params, _meta: { progressToken: id } } : { ...op.params }),
      {
        signal,
        timeoutMs,
        maxMs,
        onProgress,
        headers: this.#headers,
        cancelNotice: true,
        onAnswered: () => this.#settled(exchange.id),
      },
    );
    if (op.method !== "tools/call") {
      return exchange.reply.then(
        (reply) => (reply.ok ? { type: "complete", result: reply.result } : refused(this.#server, op, reply.error)),
        failed,
      );
    }
    const call = new LegacyCall(this.#server, op, ctx, exchange, (id, result) =>
      this.#peer.respond(id, result, this.#headers),
    );
    if (!exchange.settled) this.#track(exchange, call, maxMs);
    return call.next();
  }

  listen(on: (change: Change) => void): Listening {
    this.#listeners.add(on);
    return { stop: () => void this.#listeners.delete(on) };
  }

  async alive(signal: AbortSignal): Promise<void> {
    await this.#peer.request("ping", () => ({}), { signal, headers: this.#headers }).reply;
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  #track({ id, reply }: Exchange, call: LegacyCall, maxMs: number): void {
    this.#calls.set(id, { call, stopForgetting: () => {} });
    reply.catch(() => {
      if (!this.#calls.has(id)) return;
      const stopForgetting = this.#clock.after(maxMs, () => this.#calls.delete(id));
      this.#calls.set(id, { call, stopForgetting });
    });
  }

  /** Only the server's own answer settles a call: one that was given up stays, for the server may still be at it. */
  #settled(id: RequestId): void {
    this.#calls.get(id)?.stopForgetting();
    this.#calls.delete(id);
  }

  get #inFlight(): LegacyCall[] {
    return [...this.#calls.values()].map(({ call }) => call);
  }

  #asked(message: RequestMessage, via: RequestId | undefined): void {
    const { id, method, params = {} } = message;
    if (method === "ping") return this.#respond(id, {});
    const ask = readAsk(method, params);
    if (isPeerError(ask)) return this.#peer.refuse(id, ask, this.#headers);
    const call = this.#callOf(via);
    if (call) call.ask(id, ask);
    else void this.#stray(id, ask);
  }

  #callOf(via: RequestId | undefined): LegacyCall | undefined {
    const own = via === undefined ? undefined : this.#calls.get(via);
    if (own) return own.call;
    const [only, ...others] = this.#inFlight;
    return only?.live && others.length === 0 ? only : undefined;
  }

  async #stray(id: RequestId, ask: Ask): Promise<void> {
    const withdrawn = new AbortController();
    this.#strays.set(id, withdrawn);
    const answer = await this.#ports.onStrayAsk(ask, this.#inFlight, withdrawn.signal);
    this.#strays.delete(id);
    if (!withdrawn.signal.aborted) this.#respond(id, writeAnswer(answer));
  }

  /** To a question that no call waits for. If it can't be delivered the peer has counted it, and nobody else waits. */
  #respond(id: RequestId, result: JsonObject): void {
    this.#peer.respond(id, result, this.#headers).catch(() => {});
  }

  #told({ method, params }: NotificationMessage): void {
    if (method === "notifications/tools/list_changed") for (const on of this.#listeners) on("tools");
    if (method !== "notifications/cancelled") return;
    const id = params?.["requestId"];
    if (typeof id !== "string" && typeof id !== "number") return;
    this.#peer.forget(id);
    this.#strays.get(id)?.abort();
    for (const call of this.#inFlight) if (call.withdraw(id)) return;
  }

  #closed(error: HostError): void {
    for (const stray of this.#strays.values()) stray.abort();
    for (const { stopForgetting } of this.#calls.values()) stopForgetting();
    this.#calls.clear();
    this.#ports.onClosed(error);
  }
}
