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
import type { Ask, AskAnswer } from "../ask.ts";
import { failed, refused } from "../failure.ts";
import type { Op } from "../op.ts";
import type { Outcome } from "../outcome.ts";
import { readAsk, writeAnswer } from "../read-ask.ts";
import type { CallContext, Change, InFlight, Listening, ServerFacts, Session, SessionPorts } from "../session.ts";
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
  needsTurns = false;

  readonly #server: string;
  readonly #peer: Peer;
  readonly #clock: Clock;
  readonly #ports: SessionPorts;
  readonly #headers: WireHeaders;
  readonly #calls = new Map<RequestId, LegacyCall>();
  /** Given up by us and not settled by the server, which may still ask on their behalf; with the time they count. */
  readonly #givenUp = new Map<RequestId, InFlight & { readonly until: number }>();
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
      late: (id) => void this.#givenUp.delete(id),
      closed: (error) => this.#closed(error),
    });
  }

  async request(op: Op, ctx: CallContext): Promise<Outcome> {
    const { signal, timeoutMs, maxMs, onProgress } = ctx;
    const exchange = this.#peer.request(op.method, (id) => wireParams(op, id), {
      signal,
      timeoutMs,
      maxMs,
      onProgress,
      headers: this.#headers,
      cancelNotice: true,
      onAnswered: () => void this.#calls.delete(exchange.id),
    });
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

  /** Only the server's own answer settles a call: of one that was given up it is kept whose it was. */
  #track({ id, reply }: Exchange, call: LegacyCall, maxMs: number): void {
    this.#calls.set(id, call);
    reply.catch(() => {
      if (!this.#calls.delete(id)) return;
      const { caller } = call;
      const op: Op = { method: "tools/call", params: { name: "", arguments: {} } };
      this.#givenUp.set(id, { caller, op, live: false, until: this.#clock.now() + maxMs });
    });
  }

  get #inFlight(): InFlight[] {
    const now = this.#clock.now();
    for (const [id, { until }] of this.#givenUp) if (until <= now) this.#givenUp.delete(id);
    return [...this.#givenUp.values(), ...this.#calls.values()];
  }

  #asked(message: RequestMessage, via: RequestId | undefined): void {
    const { id, method, params = {} } = message;
    if (method === "ping") return this.#respond(id, {});
    const ask = readAsk(method, params);
    if (isPeerError(ask)) return this.#peer.refuse(id, ask, this.#headers);
    if (via !== undefined) {
      const own = this.#calls.get(via);
      // On the stream of a call that has ended: it is nobody else's question.
      return own ? own.ask(id, ask) : this.#stray(id, ask, []);
    }
    this.needsTurns = true;
    const inFlight = this.#inFlight;
    const [only] = this.#calls.values();
    if (only && inFlight.length === 1) only.ask(id, ask);
    else this.#stray(id, ask, inFlight);
  }

  #stray(id: RequestId, ask: Ask, inFlight: readonly InFlight[]): void {
    this.#strays.get(id)?.abort();
    const withdrawn = new AbortController();
    const taken = this.#ports.onStrayAsk(ask, inFlight, withdrawn.signal);
    if (taken instanceof LegacyCall) return taken.ask(id, ask);
    this.#strays.set(id, withdrawn);
    // Whichever call it belongs to waits for the answer.
    const waiting = [...this.#calls.values()];
    for (const call of waiting) call.hold();
    void (taken as Promise<AskAnswer>).then((answer) => {
      for (const call of waiting) call.unhold();
      if (this.#strays.get(id) === withdrawn) this.#strays.delete(id);
      if (!withdrawn.signal.aborted) this.#respond(id, writeAnswer(answer));
    });
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
    for (const call of this.#calls.values()) if (call.withdraw(id)) return;
  }

  #closed(error: HostError): void {
    for (const stray of this.#strays.values()) stray.abort();
    this.#calls.clear();
    this.#givenUp.clear();
    this.#ports.onClosed(error);
  }
}

function wireParams(op: Op, progressToken: number): JsonObject {
  if (op.method !== "tools/call") return { ...op.params };
  const { name, arguments: args } = op.params;
  return { name, arguments: args, _meta: { progressToken } };
}
