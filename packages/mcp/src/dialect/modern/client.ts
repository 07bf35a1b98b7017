/**
 * The client side of the modern revision. There is no handshake and no question
 * from the server: a result that asks for input ends the request, and the call
 * goes on as a new request that carries the answers.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Tool } from "@plugboard/contracts";
import { steadyNow } from "../../clock.ts";
import type { Clock } from "../../clock.ts";
import { HEADER_MISMATCH, METHOD_NOT_FOUND } from "../../wire/rpc-codes.ts";
import type { Reply } from "../../wire/exchange.ts";
import type { NotificationMessage, RequestId, RequestMessage } from "../../wire/message.ts";
import { META } from "../../wire/meta-keys.ts";
import type { Peer } from "../../wire/peer.ts";
import { quote } from "../../wire/quote.ts";
import { readToolPage } from "../../wire/read-tools.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { readChange } from "../change.ts";
import { failed, refused } from "../failure.ts";
import type { Abilities } from "../identity.ts";
import { notOffered } from "../not-offered.ts";
import { mayAsk } from "../op.ts";
import type { Op } from "../op.ts";
import type { Outcome } from "../outcome.ts";
import { readLog } from "../read-log.ts";
import type { CallContext, Change, Filter, Listening, ServerFacts, Session, SessionPorts } from "../session.ts";
import { NOBODY, requestHeaders, requestMeta, subjectOf } from "./envelope.ts";
import type { Envelope } from "./envelope.ts";
import { readWanted, writeAnswers, writeResponses } from "./input-required.ts";
import { mirroredHeaders, readMirrors } from "./mirrored-headers.ts";
import type { Mirror } from "./mirrored-headers.ts";
import { Subscription } from "./subscription.ts";
import { readTask } from "./task.ts";

export interface ModernOptions {
  readonly server: string;
  readonly peer: Peer;
  readonly clock: Clock;
  readonly random: () => number;
  readonly envelope: Envelope;
  readonly facts: ServerFacts;
  readonly ports: SessionPorts;
}

/** How far a call has come: how often it was asked something, until when it may take, and what it carries on. */
interface Round {
  readonly number: number;
  readonly until: number;
  readonly extra: JsonObject;
}

const NO_HEADERS: WireHeaders = {};

/** How often a server may answer one call with a question. */
const MAX_ROUNDS = 10;

export class ModernClient implements Session {
  readonly era = "modern";
  /** A question ends the very request that caused it. */
  readonly needsTurns = false;
  readonly version: string;
  readonly facts: ServerFacts;

  readonly #options: ModernOptions;
  readonly #server: string;
  readonly #peer: Peer;
  /** On a shared wire a request is given up by saying so; on one with a stream per request, by closing that. */
  readonly #shared: boolean;
  readonly #subscriptions = new Set<Subscription>();
  /** Whose log it is, while it runs. */
  readonly #logged = new Map<RequestId, CallContext>();
  /** Which arguments of which tool go into headers too. */
  readonly #mirrors = new Map<string, readonly Mirror[]>();

  constructor(options: ModernOptions) {
    const { peer, envelope, ports } = options;
    this.#options = options;
    this.#server = options.server;
    this.#peer = peer;
    this.version = envelope.version;
    this.facts = options.facts;
    this.#shared = peer.transport.shared;
    peer.revision = this.version;
    peer.listen({
      request: (message) => this.#refuse(message),
      notification: (message, via) => this.#told(message, via),
      closed: (error) => ports.onClosed(error),
    });
  }

  get passedOver(): number {
    return this.#peer.passedOver;
  }

  get unfinished(): boolean {
    return this.#peer.unfinished;
  }

  async request(op: Op, ctx: CallContext): Promise<Outcome> {
    const absent = notOffered(this.#server, this.facts, op);
    if (absent) return failed(absent);
    const until = steadyNow(this.#options.clock) + ctx.maxMs;
    const resumed = mayAsk(op) ? op.params.resumed : undefined;
    if (!resumed) return this.#round(op, ctx, { number: 0, until, extra: {} });
    const { answers, requestState, round } = resumed;
    return this.#round(op, ctx, { number: round, until, extra: continuation(writeAnswers(answers), requestState) });
  }

  listen(want: Filter, on: (change: Change) => void): Listening {
    const { peer, envelope, clock, random } = this.#options;
    const subscription = new Subscription({ peer, envelope, clock, random, want, on });
    this.#subscriptions.add(subscription);
    return {
      stop: () => {
        this.#subscriptions.delete(subscription);
        subscription.stop();
      },
    };
  }

  /** A tool whose headers can't be made is refused by every call of it; a shared wire has no headers. */
  refuses({ name, inputSchema }: Tool): string | undefined {
    this.#mirrors.delete(name);
    if (this.#shared) return undefined;
    const mirrors = readMirrors(inputSchema);
    if ("invalid" in mirrors) return mirrors.invalid;
    if (mirrors.length > 0) this.#mirrors.set(name, mirrors);
    return undefined;
  }

  /** There is no notice for it: a server asks when it wants to know. */
  rootsChanged(): void {}

  async alive(signal: AbortSignal): Promise<void> {
    const method = "server/discover";
    const headers = requestHeaders(this.version, method);
    const params = () => ({ _meta: requestMeta(this.#options.envelope, NOBODY) });
    await this.#peer.request(method, params, { signal, headers, cancelNotice: this.#shared }).reply;
  }

  async close(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.stop();
    await this.#peer.close();
  }

  async #round(op: Op, ctx: CallContext, round: Round, again = false): Promise<Outcome> {
    const { signal, timeoutMs, onProgress } = ctx;
    const exchange = this.#peer.request(op.method, (id) => this.#params(op, ctx, round, id), {
      signal,
      timeoutMs,
      maxMs: Math.max(1, round.until - steadyNow(this.#options.clock)),
      onProgress,
      headers: this.#headers(op),
      cancelNotice: this.#shared,
    });
    if (ctx.onLog) this.#logged.set(exchange.id, ctx);
    let reply: Reply;
    try {
      reply = await exchange.reply;
    } catch (error) {
      ctx.onSettled?.();
      return failed(error);
    } finally {
      if (ctx.onLog) this.#logged.delete(exchange.id);
    }
    if (!reply.ok && reply.error.code === HEADER_MISMATCH && op.method === "tools/call" && !again) {
      // Refused before it ran: the tool wants other headers than it did when it was listed.
      await this.#learnHeaders(op.params.name, ctx, round.until);
      return this.#round(op, ctx, round, true);
    }
    ctx.onSettled?.();
    return reply.ok ? this.#read(op, reply.result, ctx, round) : refused(this.#server, op, reply.error);
  }

  #params(op: Op, ctx: CallContext, { extra }: Round, id: number): JsonObject {
    const { resumed: _, ...params } = op.params as Op["params"] & { resumed?: unknown };
    const { logLevel, trace } = ctx;
    const progressToken = mayAsk(op) ? id : undefined;
    const meta = requestMeta(this.#options.envelope, this.#abilities(op, ctx), { progressToken, logLevel, trace });
    return { ...params, ...extra, _meta: meta };
  }

  /** What only some requests may be answered with is declared with those alone. */
  #abilities(op: Op, { elicitation, sampling = false, tasks = false }: CallContext): Abilities {
    const roots = this.#options.ports.roots !== undefined;
    const task = op.method.startsWith("tasks/") || (tasks && op.method === "tools/call");
    return mayAsk(op) ? { elicitation, sampling, roots, tasks: task } : { ...NOBODY, tasks: task };
  }

  #headers(op: Op): WireHeaders {
    if (this.#shared) return NO_HEADERS;
    const headers = requestHeaders(this.version, op.method, subjectOf(op));
    const mirrors = op.method === "tools/call" ? this.#mirrors.get(op.params.name) : undefined;
    return mirrors && op.method === "tools/call"
      ? { ...headers, ...mirroredHeaders(mirrors, op.params.arguments) }
      : headers;
  }

  /** Lists until the tool is found, for its schema alone, in the time that its call has. */
  async #learnHeaders(name: string, ctx: CallContext, until: number): Promise<void> {
    const quietly = { ...ctx, onSettled: undefined, onLog: undefined };
    let cursor: string | undefined;
    for (let at = 0; at < 100 && steadyNow(this.#options.clock) < until; at++) {
      const op: Op = { method: "tools/list", params: cursor === undefined ? {} : { cursor } };
      const outcome = await this.#round(op, quietly, { number: 0, until, extra: {} });
      const page = outcome.type === "complete" ? readToolPage(outcome.result) : undefined;
      const found = page?.tools.find((tool) => tool.name === name);
      if (found) return void this.refuses(found);
      if (page?.nextCursor === undefined) return;
      cursor = page.nextCursor;
    }
  }

  #read(op: Op, result: JsonObject, ctx: CallContext, round: Round): Outcome | Promise<Outcome> {
    const { resultType = "complete" } = result;
    switch (resultType) {
      case "complete":
        return { type: "complete", result };
      case "task":
        return readTask(result, {
          server: this.#server,
          op,
          clock: this.#options.clock,
          able: this.#able(ctx),
          request: (poll, signal) => this.#poll(poll, { ...ctx, signal }),
        });
      case "input_required":
        return this.#suspend(op, result, ctx, round);
      default:
        return this.#unexpected(`the result type ${quote(resultType)} is not known`);
    }
  }

  /** A task is asked after for as long as it is followed, each time anew. */
  #poll(op: Op, { caller, signal, timeoutMs, trace }: CallContext): Promise<Outcome> {
    const ctx: CallContext = { caller, signal, timeoutMs, maxMs: timeoutMs, elicitation: false, trace };
    const until = steadyNow(this.#options.clock) + timeoutMs;
    return this.#round(op, ctx, { number: 0, until, extra: {} });
  }

  #suspend(op: Op, result: JsonObject, ctx: CallContext, round: Round): Outcome | Promise<Outcome> {
    if (round.number >= MAX_ROUNDS) {
      return failed(new HostError("TOO_MANY_ROUNDS", { server: this.#server, rounds: MAX_ROUNDS }));
    }
    const { inputRequests = {}, requestState } = result;
    if (requestState !== undefined && typeof requestState !== "string") {
      return this.#unexpected('"requestState" is not a string');
    }
    const wanted = readWanted(inputRequests, this.#able(ctx));
    if ("invalid" in wanted) return this.#unexpected(wanted.invalid);
    const goOn = (responses: JsonObject, signal: AbortSignal | undefined) =>
      this.#round(
        op,
        { ...ctx, signal },
        { ...round, number: round.number + 1, extra: continuation(responses, requestState) },
      );
    // Everything it wants is known without asking anybody.
    if (Object.keys(wanted.asks).length === 0 && Object.keys(wanted.known).length > 0)
      return goOn(wanted.known, ctx.signal);
    return {
      type: "asks",
      asks: wanted.asks,
      portable: { round: round.number + 1, ...(requestState !== undefined && { requestState }) },
      // Nothing runs at the server meanwhile, so nothing can overtake the answer.
      overtaken: new AbortController().signal,
      resume: async (answers, { signal }) => {
        const responses = writeResponses(wanted, answers);
        return responses
          ? goOn(responses, signal)
          : failed(new HostError("SAMPLING_REFUSED", { server: this.#server }));
      },
      abandon: () => {},
    };
  }

  #able({ sampling = false }: CallContext) {
    return { sampling, roots: this.#options.ports.roots };
  }

  #told({ method, params }: NotificationMessage, via: RequestId | undefined): void {
    if (method === "notifications/message") return this.#log(params, via);
    const id = isJsonObject(params?.["_meta"]) ? params["_meta"][META.subscriptionId] : undefined;
    if (method === "notifications/cancelled") return this.#subscription(params?.["requestId"])?.ended();
    const change = readChange(method, params);
    if (!change) return;
    const subscription = this.#subscription(id) ?? this.#subscription(via);
    if (subscription) return subscription.tell(change);
    // One that does not say for whom it is concerns everybody who wanted it.
    if (id === undefined) for (const one of this.#subscriptions) one.tell(change);
  }

  #subscription(id: Json | undefined): Subscription | undefined {
    if (id === undefined) return undefined;
    for (const subscription of this.#subscriptions) if (subscription.id === id) return subscription;
    return undefined;
  }

  #log(params: JsonObject | undefined, via: RequestId | undefined): void {
    const entry = readLog(params);
    if (!entry) return;
    const [only] = this.#logged.values();
    const ctx = via === undefined ? (this.#logged.size === 1 ? only : undefined) : this.#logged.get(via);
    if (ctx) ctx.onLog?.(entry);
    else this.#options.ports.onLog?.(entry);
  }

  #unexpected(what: string): Outcome {
    return failed(new HostError("UNEXPECTED_RESPONSE", { server: this.#server, what }));
  }

  /** A modern server may not ask. On a shared wire it is told; over HTTP there is no way to answer it. */
  #refuse({ id, method }: RequestMessage): void {
    if (!this.#shared) return this.#peer.forget(id);
    this.#peer.refuse(id, { code: METHOD_NOT_FOUND, message: `${method} is not a request a server may send` });
  }
}

/** Without a state given none is sent. */
function continuation(inputResponses: JsonObject, requestState: string | undefined): JsonObject {
  return { inputResponses, ...(requestState !== undefined && { requestState }) };
}
