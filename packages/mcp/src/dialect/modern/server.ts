/**
 * The server side of the modern revision. Every request stands alone: a question
 * ends it with `input_required`, and the answer comes with a new request that
 * hands back the state it was given.
 */
import { isJsonObject, isPeerError, toHostError } from "@plugboard/contracts";
import type { Caller, HostError, Json, JsonObject, PeerError } from "@plugboard/contracts";
import type { RequestId, RequestMessage } from "../../wire/message.ts";
import { META } from "../../wire/meta-keys.ts";
import type { Reply, ReplyStream } from "../../wire/reply-stream.ts";
import { INVALID_PARAMS, UNSUPPORTED_VERSION } from "../../wire/rpc-codes.ts";
import type { Answers, FrontContext, Handler } from "../handler.ts";
import { clientInfo } from "../identity.ts";
import { gatewayIdsMeta, readHostIds, rejectOwnClient } from "../host-ids.ts";
import { mayAsk } from "../op.ts";
import type { Op } from "../op.ts";
import type { Outcome, Suspended } from "../outcome.ts";
import { askMethod } from "../read-ask.ts";
import { readAbilities, readAnswer } from "../read-front.ts";
import { isLogLevel } from "../read-log.ts";
import { readOp } from "../read-op.ts";
import type { Filter, Offers } from "../session.ts";
import { MODERN_VERSIONS, NEWEST_MODERN } from "../versions.ts";
import { writeChange } from "../change.ts";
import { ID_IN_USE, writeError } from "../write-error.ts";
import { writeOffers } from "../write-offers.ts";

/** What is listed or read may differ from caller to caller and change at any time. */
const NOT_CACHED: JsonObject = { ttlMs: 0, cacheScope: "private" };
const CACHEABLE: ReadonlySet<string> = new Set([
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
]);

/** How many resources or tasks one front may watch at once. */
const MAX_WATCHED = 1000;

export interface ModernServerOptions {
  readonly handler: Handler;
  /** Who calls, as far as it can be told apart. */
  readonly caller: Caller;
  /** Whose token or connection it is: what is kept between two requests is kept for them. */
  readonly principal: Caller;
  /** The ids of the hosts that started the client. */
  readonly through?: readonly string[] | undefined;
}

interface Running {
  readonly call: AbortController;
  /** Undefined for a subscription, which has no final answer. */
  readonly reply: Reply | undefined;
}

export class ModernServer {
  readonly #handler: Handler;
  readonly #caller: Caller;
  readonly #principal: Caller;
  readonly #through: readonly string[];
  readonly #running = new Map<RequestId, Running>();

  constructor({ handler, caller, principal, through = [] }: ModernServerOptions) {
    this.#handler = handler;
    this.#through = through;
    this.#caller = caller;
    this.#principal = principal;
  }

  async receive({ id, method, params = {} }: RequestMessage, stream: ReplyStream, gone?: AbortSignal): Promise<void> {
    const reply: Reply = (body) => stream.send({ jsonrpc: "2.0", id, ...body }, NEWEST_MODERN, method);
    const wrong = checkContext(params["_meta"]);
    if (wrong) return reply({ error: wrong });
    const self = rejectOwnClient(this.#handler.identity, [...this.#through, ...readHostIds(params["_meta"])]);
    if (self) return reply({ error: self });
    if (this.#running.has(id)) return reply({ error: ID_IN_USE });
    const request = new AbortController();
    const giveUp = () => request.abort("the client went away");
    gone?.addEventListener("abort", giveUp, { once: true });
    if (gone?.aborted) giveUp();
    this.#running.set(id, { call: request, reply: isSubscription(method) ? undefined : reply });
    try {
      if (method === "server/discover") return reply({ result: this.#discover() });
      if (isSubscription(method)) return await this.#listen(id, params, stream, request.signal, reply);
      const op = readOp(method, params, this.#handler.offers(this.#caller));
      if (isPeerError(op)) return reply({ error: op });
      const outcome = await this.#run(op, params, stream, request.signal);
      if (!request.signal.aborted) return reply(this.#write(outcome, op));
      // What was cancelled gets no answer, and nobody comes back for what it asks.
      if (outcome.type === "asks") outcome.abandon("the client went away");
      stream.end();
    } catch (thrown) {
      reply({ error: writeError(toHostError(thrown)) });
    } finally {
      this.#running.delete(id);
      gone?.removeEventListener("abort", giveUp);
    }
  }

  cancel(id: RequestId): void {
    this.#running.get(id)?.call.abort("the client cancelled the call");
  }

  /** True while a request other than a subscription is pending. */
  get busy(): boolean {
    return [...this.#running.values()].some(({ reply }) => reply);
  }

  /** Cancels every pending request. Answers each with the error if one is given. */
  close(because?: HostError): void {
    for (const { call, reply } of this.#running.values()) {
      if (because) reply?.({ error: writeError(because) });
      call.abort(because ? "the host is closing" : "the client went away");
    }
  }

  #run(op: Op, params: JsonObject, stream: ReplyStream, signal: AbortSignal): Promise<Outcome> {
    const meta = params["_meta"] as JsonObject;
    const { progressToken, [META.logLevel]: logLevel } = meta;
    const tell = (method: string, params: JsonObject) => stream.send({ jsonrpc: "2.0", method, params }, NEWEST_MODERN);
    const ctx: FrontContext = {
      ...readAbilities(meta[META.clientCapabilities]),
      principal: this.#principal,
      signal,
      ...(progressToken !== undefined && {
        onProgress: (progress) => tell("notifications/progress", { progressToken, ...progress }),
      }),
      ...(isLogLevel(logLevel) && { logLevel, onLog: (entry) => tell("notifications/message", { ...entry }) }),
    };
    const { inputResponses, requestState } = params;
    const goesOn = mayAsk(op) && (inputResponses !== undefined || requestState !== undefined);
    if (!goesOn) return this.#handler.request(op, this.#caller, ctx);
    const state = typeof requestState === "string" ? requestState : undefined;
    return this.#handler.resume(state, readAnswers(inputResponses), op, this.#caller, ctx);
  }

  #write(outcome: Outcome, op: Op): { result: JsonObject } | { error: PeerError } {
    switch (outcome.type) {
      case "failed":
        return { error: writeError(outcome.error) };
      case "asks":
        return this.#ask(outcome, op);
      case "task":
        return { result: this.#signed(outcome.task) };
      case "complete": {
        const cached = CACHEABLE.has(op.method) ? NOT_CACHED : {};
        return { result: this.#signed({ ...outcome.result, ...cached, resultType: "complete" }) };
      }
    }
  }

  #ask(asked: Suspended, op: Op): { result: JsonObject } | { error: PeerError } {
    const requests = Object.entries(asked.asks).map(([key, ask]) => [key, { method: askMethod(ask), params: ask.raw }]);
    try {
      const requestState = this.#handler.keep(asked, op, this.#principal);
      const inputRequests = Object.fromEntries(requests) as JsonObject;
      return { result: this.#signed({ resultType: "input_required", inputRequests, requestState }) };
    } catch (thrown) {
      asked.abandon("it can't be kept");
      return { error: writeError(toHostError(thrown)) };
    }
  }

  #discover(): JsonObject {
    const { instructions, identity } = this.#handler;
    return this.#signed({
      _meta: gatewayIdsMeta(identity, this.#handler.instances?.()),
      resultType: "complete",
      supportedVersions: [...MODERN_VERSIONS],
      capabilities: writeOffers(this.#handler.offers(this.#caller)),
      ...NOT_CACHED,
      ...(instructions !== undefined && { instructions }),
    });
  }

  /** Says what it will tell of, then tells it, until the front has had enough. */
  async #listen(
    id: RequestId,
    params: JsonObject,
    stream: ReplyStream,
    signal: AbortSignal,
    reply: Reply,
  ): Promise<void> {
    const wanted = isJsonObject(params["notifications"]) ? params["notifications"] : undefined;
    if (!wanted) return reply({ error: { code: INVALID_PARAMS, message: '"notifications" is missing' } });
    const { want, notifications } = readFilter(wanted, this.#handler.offers(this.#caller));
    const meta = { [META.subscriptionId]: id };
    const method = "notifications/subscriptions/acknowledged";
    stream.send({ jsonrpc: "2.0", method, params: { notifications, _meta: meta } }, NEWEST_MODERN);
    const listening = this.#handler.listen(want, this.#caller, (change) =>
      stream.send(writeChange(change, meta), NEWEST_MODERN),
    );
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    listening.stop();
    stream.end();
  }

  /** In our own name: what another server said of itself stays behind. */
  #signed(result: JsonObject): JsonObject {
    const meta = isJsonObject(result["_meta"]) ? result["_meta"] : {};
    return { ...result, _meta: { ...meta, [META.serverInfo]: clientInfo(this.#handler.identity) } };
  }
}

/** Recognises a subscription: a request without an answer that lasts as long as the client listens. */
export function isSubscription(method: string): boolean {
  return method === "subscriptions/listen";
}

/** Whether a message is of the modern era at all. */
export function isModern(params: JsonObject | undefined): boolean {
  return isJsonObject(params?.["_meta"]) && params["_meta"][META.protocolVersion] !== undefined;
}

function checkContext(meta: Json | undefined): PeerError | undefined {
  const { [META.protocolVersion]: requested, [META.clientCapabilities]: capabilities } = isJsonObject(meta) ? meta : {};
  if (typeof requested !== "string") return { code: INVALID_PARAMS, message: `${META.protocolVersion} is missing` };
  if (!MODERN_VERSIONS.some((known) => known === requested)) {
    const data = { supported: [...MODERN_VERSIONS], requested };
    return { code: UNSUPPORTED_VERSION, message: `Revision ${requested} is not supported`, data };
  }
  if (!isJsonObject(capabilities)) return { code: INVALID_PARAMS, message: `${META.clientCapabilities} is missing` };
  return undefined;
}

/** What of it will be told: as a filter, and as the front is told that it is. */
function readFilter(wanted: JsonObject, { changes, subscribe, tasks: offersTasks }: Offers) {
  const tools = wanted["toolsListChanged"] === true && changes.tools;
  const resources = wanted["resourcesListChanged"] === true && changes.resources;
  const prompts = wanted["promptsListChanged"] === true && changes.prompts;
  const uris = subscribe ? texts(wanted["resourceSubscriptions"]) : [];
  const tasks = offersTasks ? texts(wanted["taskIds"]) : [];
  const want: Filter = { tools, resources, prompts, uris, tasks };
  const notifications: JsonObject = {
    ...(tools && { toolsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(tasks.length > 0 && { taskIds: tasks }),
  };
  return { want, notifications };
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, MAX_WATCHED) : [];
}

function readAnswers(responses: Json | undefined): Answers {
  if (!isJsonObject(responses)) return {};
  return Object.fromEntries(Object.entries(responses).map(([key, response]) => [key, readAnswer(response)]));
}
