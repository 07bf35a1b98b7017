/**
 * The client side of the modern revision. There is no handshake and no question
 * from the server: a result that asks for input ends the request, and the call
 * goes on as a new request that carries the answers.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Tool } from "@plugboard/contracts";
import { steadyNow } from "../../lib/clock.ts";
import type { Clock } from "../../lib/clock.ts";
import { HEADER_MISMATCH, METHOD_NOT_FOUND } from "../../wire/rpc-error-codes.ts";
import type { RpcResponse } from "../../wire/outgoing-request.ts";
import type { NotificationMessage, RequestId, RequestMessage } from "../../wire/message.ts";
import { META_KEYS } from "../../wire/meta-keys.ts";
import type { Peer } from "../../wire/peer.ts";
import { describeValue } from "../../lib/describe-value.ts";
import { parseToolPage } from "../../wire/parse-tool-page.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { parseChange } from "../../session/change-notification.ts";
import { failedOutcome, peerErrorOutcome } from "../../session/failed-outcome.ts";
import type { DeclaredCapabilities } from "../../session/identity.ts";
import { unsupportedMethodError } from "../../session/method-support.ts";
import { isInteractive } from "../../session/op.ts";
import type { Op } from "../../session/op.ts";
import type { Outcome } from "../../session/outcome.ts";
import { parseLogEntry } from "../../session/parse-log-entry.ts";
import type {
  CallContext,
  Change,
  ChangeFilter,
  ChangeSubscription,
  ServerInfo,
  Session,
  SessionPorts,
} from "../../session/session.ts";
import { NO_CAPABILITIES, requestHeaders, requestMeta, mcpNameOf } from "./request-meta.ts";
import type { Envelope } from "./request-meta.ts";
import { parseInputRequests, answersToInputResponses, toInputResponses } from "./input-requests.ts";
import { paramHeaders, parseParamHeaders } from "./param-headers.ts";
import type { ParamHeader } from "./param-headers.ts";
import { Subscription } from "./subscription.ts";
import { parseTask } from "./task.ts";

export interface ModernClientOptions {
  readonly server: string;
  readonly peer: Peer;
  readonly clock: Clock;
  readonly random: () => number;
  readonly envelope: Envelope;
  readonly serverInfo: ServerInfo;
  readonly ports: SessionPorts;
}

/** How far a call has come: how often it was asked something, until when it may take, and what it carries on. */
interface CallRound {
  readonly number: number;
  readonly deadline: number;
  readonly extra: JsonObject;
}

const NO_HEADERS: WireHeaders = {};

/** How often a server may answer one call with a question. */
const MAX_ROUNDS = 10;

export class ModernClient implements Session {
  readonly era = "modern";
  /** A question ends the very request that caused it. */
  readonly oneCallerAtATime = false;
  readonly version: string;
  readonly serverInfo: ServerInfo;

  readonly #options: ModernClientOptions;
  readonly #server: string;
  readonly #peer: Peer;
  /** On a shared wire a request is given up by saying so; on one with a stream per request, by closing that. */
  readonly #multiplexed: boolean;
  readonly #subscriptions = new Set<Subscription>();
  /** Whose log it is, while it runs. */
  readonly #logContexts = new Map<RequestId, CallContext>();
  /** Which arguments of which tool go into headers too. */
  readonly #paramHeaders = new Map<string, readonly ParamHeader[]>();

  constructor(options: ModernClientOptions) {
    const { peer, envelope, ports } = options;
    this.#options = options;
    this.#server = options.server;
    this.#peer = peer;
    this.version = envelope.version;
    this.serverInfo = options.serverInfo;
    this.#multiplexed = peer.transport.multiplexed;
    peer.revision = this.version;
    peer.setEventHandlers({
      request: (message) => this.#rejectRequest(message),
      notification: (message, via) => this.#onNotification(message, via),
      closed: (error) => ports.onClosed(error),
    });
  }

  get ignoredMessages(): number {
    return this.#peer.ignoredMessages;
  }

  get mayBeBusy(): boolean {
    return this.#peer.mayBeBusy;
  }

  async request(op: Op, ctx: CallContext): Promise<Outcome> {
    const absent = unsupportedMethodError(this.#server, this.serverInfo, op);
    if (absent) return failedOutcome(absent);
    const deadline = steadyNow(this.#options.clock) + ctx.maxMs;
    const resumed = isInteractive(op) ? op.params.resumed : undefined;
    if (!resumed) return this.#sendRound(op, ctx, { number: 0, deadline, extra: {} });
    const { answers, requestState, round } = resumed;
    return this.#sendRound(op, ctx, {
      number: round,
      deadline,
      extra: continuation(answersToInputResponses(answers), requestState),
    });
  }

  listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription {
    const { peer, envelope, clock, random } = this.#options;
    const subscription = new Subscription({ peer, envelope, clock, random, filter, onChange });
    this.#subscriptions.add(subscription);
    return {
      stop: () => {
        this.#subscriptions.delete(subscription);
        subscription.stop();
      },
    };
  }

  /** A tool whose headers can't be made is refused by every call of it; a shared wire has no headers. */
  unusableReason({ name, inputSchema }: Tool): string | undefined {
    this.#paramHeaders.delete(name);
    if (this.#multiplexed) return undefined;
    const declared = parseParamHeaders(inputSchema);
    if ("invalid" in declared) return declared.invalid;
    if (declared.length > 0) this.#paramHeaders.set(name, declared);
    return undefined;
  }

  /** There is no notice for it: a server asks when it wants to know. */
  notifyRootsChanged(): void {}

  async ping(signal: AbortSignal): Promise<void> {
    const method = "server/discover";
    const headers = requestHeaders(this.version, method);
    const params = () => ({ _meta: requestMeta(this.#options.envelope, NO_CAPABILITIES) });
    await this.#peer.request(method, params, { signal, headers, sendCancelled: this.#multiplexed }).response;
  }

  async close(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.stop();
    await this.#peer.close();
  }

  async #sendRound(op: Op, ctx: CallContext, round: CallRound, headersRefreshed = false): Promise<Outcome> {
    const { signal, timeoutMs, onProgress } = ctx;
    const request = this.#peer.request(op.method, (id) => this.#params(op, ctx, round, id), {
      signal,
      timeoutMs,
      maxMs: Math.max(1, round.deadline - steadyNow(this.#options.clock)),
      onProgress,
      headers: this.#headers(op),
      sendCancelled: this.#multiplexed,
    });
    if (ctx.onLog) this.#logContexts.set(request.id, ctx);
    let response: RpcResponse;
    try {
      response = await request.response;
    } catch (error) {
      ctx.onSettled?.();
      return failedOutcome(error);
    } finally {
      if (ctx.onLog) this.#logContexts.delete(request.id);
    }
    if (!response.ok && response.error.code === HEADER_MISMATCH && op.method === "tools/call" && !headersRefreshed) {
      // Refused before it ran: the tool wants other headers than it did when it was listed.
      await this.#refreshParamHeaders(op.params.name, ctx, round.deadline);
      return this.#sendRound(op, ctx, round, true);
    }
    ctx.onSettled?.();
    return response.ok
      ? this.#parseResult(op, response.result, ctx, round)
      : peerErrorOutcome(this.#server, op, response.error);
  }

  #params(op: Op, ctx: CallContext, { extra }: CallRound, id: number): JsonObject {
    const { resumed: _, ...params } = op.params as Op["params"] & { resumed?: unknown };
    const { logLevel, trace } = ctx;
    const progressToken = isInteractive(op) ? id : undefined;
    const meta = requestMeta(this.#options.envelope, this.#capabilities(op, ctx), { progressToken, logLevel, trace });
    return { ...params, ...extra, _meta: meta };
  }

  /** What only some requests may be answered with is declared with those alone. */
  #capabilities(op: Op, { elicitation, sampling = false, tasks = false }: CallContext): DeclaredCapabilities {
    const roots = this.#options.ports.roots !== undefined;
    const task = op.method.startsWith("tasks/") || (tasks && op.method === "tools/call");
    return isInteractive(op) ? { elicitation, sampling, roots, tasks: task } : { ...NO_CAPABILITIES, tasks: task };
  }

  #headers(op: Op): WireHeaders {
    if (this.#multiplexed) return NO_HEADERS;
    const headers = requestHeaders(this.version, op.method, mcpNameOf(op));
    const declared = op.method === "tools/call" ? this.#paramHeaders.get(op.params.name) : undefined;
    return declared && op.method === "tools/call"
      ? { ...headers, ...paramHeaders(declared, op.params.arguments) }
      : headers;
  }

  /** Lists until the tool is found, for its schema alone, in the time that its call has. */
  async #refreshParamHeaders(name: string, ctx: CallContext, deadline: number): Promise<void> {
    const quietContext = { ...ctx, onSettled: undefined, onLog: undefined };
    let cursor: string | undefined;
    for (let at = 0; at < 100 && steadyNow(this.#options.clock) < deadline; at++) {
      const op: Op = { method: "tools/list", params: cursor === undefined ? {} : { cursor } };
      const outcome = await this.#sendRound(op, quietContext, { number: 0, deadline, extra: {} });
      const page = outcome.type === "complete" ? parseToolPage(outcome.result) : undefined;
      const found = page?.tools.find((tool) => tool.name === name);
      if (found) return void this.unusableReason(found);
      if (page?.nextCursor === undefined) return;
      cursor = page.nextCursor;
    }
  }

  #parseResult(op: Op, result: JsonObject, ctx: CallContext, round: CallRound): Outcome | Promise<Outcome> {
    const { resultType = "complete" } = result;
    switch (resultType) {
      case "complete":
        return { type: "complete", result };
      case "task":
        return parseTask(result, {
          server: this.#server,
          op,
          clock: this.#options.clock,
          inputSources: this.#inputSources(ctx),
          request: (poll, signal) => this.#poll(poll, { ...ctx, signal }),
        });
      case "input_required":
        return this.#suspend(op, result, ctx, round);
      default:
        return this.#unexpected(`the result type ${describeValue(resultType)} is not known`);
    }
  }

  /** A task is asked after for as long as it is followed, each time anew. */
  #poll(op: Op, { caller, signal, timeoutMs, trace }: CallContext): Promise<Outcome> {
    const ctx: CallContext = { caller, signal, timeoutMs, maxMs: timeoutMs, elicitation: false, trace };
    const deadline = steadyNow(this.#options.clock) + timeoutMs;
    return this.#sendRound(op, ctx, { number: 0, deadline, extra: {} });
  }

  #suspend(op: Op, result: JsonObject, ctx: CallContext, round: CallRound): Outcome | Promise<Outcome> {
    if (round.number >= MAX_ROUNDS) {
      return failedOutcome(new HostError("TOO_MANY_ROUNDS", { server: this.#server, rounds: MAX_ROUNDS }));
    }
    const { inputRequests = {}, requestState } = result;
    if (requestState !== undefined && typeof requestState !== "string") {
      return this.#unexpected('"requestState" is not a string');
    }
    const parsed = parseInputRequests(inputRequests, this.#inputSources(ctx));
    if ("invalid" in parsed) return this.#unexpected(parsed.invalid);
    const sendNextRound = (responses: JsonObject, signal: AbortSignal | undefined) =>
      this.#sendRound(
        op,
        { ...ctx, signal },
        { ...round, number: round.number + 1, extra: continuation(responses, requestState) },
      );
    // Everything it wants is known without asking anybody.
    if (Object.keys(parsed.asks).length === 0 && Object.keys(parsed.resolved).length > 0)
      return sendNextRound(parsed.resolved, ctx.signal);
    return {
      type: "asks",
      asks: parsed.asks,
      portable: { round: round.number + 1, ...(requestState !== undefined && { requestState }) },
      // Nothing runs at the server meanwhile, so nothing can overtake the answer.
      obsolete: new AbortController().signal,
      resume: async (answers, { signal }) => {
        const responses = toInputResponses(parsed, answers);
        return responses
          ? sendNextRound(responses, signal)
          : failedOutcome(new HostError("SAMPLING_REFUSED", { server: this.#server }));
      },
      abandon: () => {},
    };
  }

  #inputSources({ sampling = false }: CallContext) {
    return { sampling, roots: this.#options.ports.roots };
  }

  #onNotification({ method, params }: NotificationMessage, relatedRequestId: RequestId | undefined): void {
    if (method === "notifications/message") return this.#onLog(params, relatedRequestId);
    const id = isJsonObject(params?.["_meta"]) ? params["_meta"][META_KEYS.subscriptionId] : undefined;
    if (method === "notifications/cancelled") return this.#subscription(params?.["requestId"])?.endedByServer();
    const change = parseChange(method, params);
    if (!change) return;
    const subscription = this.#subscription(id) ?? this.#subscription(relatedRequestId);
    if (subscription) return subscription.emit(change);
    // One that does not say for whom it is concerns everybody who wanted it.
    if (id === undefined) for (const one of this.#subscriptions) one.emit(change);
  }

  #subscription(id: Json | undefined): Subscription | undefined {
    if (id === undefined) return undefined;
    for (const subscription of this.#subscriptions) if (subscription.id === id) return subscription;
    return undefined;
  }

  #onLog(params: JsonObject | undefined, relatedRequestId: RequestId | undefined): void {
    const entry = parseLogEntry(params);
    if (!entry) return;
    const [only] = this.#logContexts.values();
    const ctx =
      relatedRequestId === undefined
        ? this.#logContexts.size === 1
          ? only
          : undefined
        : this.#logContexts.get(relatedRequestId);
    if (ctx) ctx.onLog?.(entry);
    else this.#options.ports.onLog?.(entry);
  }

  #unexpected(reason: string): Outcome {
    return failedOutcome(new HostError("UNEXPECTED_RESPONSE", { server: this.#server, reason }));
  }

  /** A modern server may not ask. On a shared wire it is told; over HTTP there is no way to answer it. */
  #rejectRequest({ id, method }: RequestMessage): void {
    if (!this.#multiplexed) return this.#peer.forget(id);
    this.#peer.respondWithError(id, {
      code: METHOD_NOT_FOUND,
      message: `${method} is not a request a server may send`,
    });
  }
}

/** Without a state given none is sent. */
function continuation(inputResponses: JsonObject, requestState: string | undefined): JsonObject {
  return { inputResponses, ...(requestState !== undefined && { requestState }) };
}
