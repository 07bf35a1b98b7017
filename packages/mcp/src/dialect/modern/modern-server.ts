/**
 * The server side of the modern revision, for one client of the gateway. A question ends its request with
 * `input_required`. The client answers in a new request, which carries the state it was given.
 */
import { isJsonObject, isPeerError, toHostError, Cancellation, systemClock } from "@plugboard/contracts";
import type { Caller, HostError, Json, JsonObject, PeerError, CancelSignal, Clock } from "@plugboard/contracts";
import { settlesInTime } from "../../lib/settles-in-time.ts";
import type { RequestId, RequestMessage } from "../../wire/message.ts";
import { META_KEYS } from "../../wire/meta-keys.ts";
import type { OnDisconnect, SendResponse, ResponseStream } from "../../wire/response-stream.ts";
import { INVALID_PARAMS } from "../../wire/rpc-error-codes.ts";
import type { AskAnswers } from "../../session/ask.ts";
import type { FrontContext, McpRequestHandler } from "../../session/mcp-request-handler.ts";
import {
  clientVersion,
  implementationInfo,
  gatewayIdsMeta,
  parseHostIds,
  rejectOwnClient,
  withClientName,
} from "../../session/identity.ts";
import { forwardableMeta } from "../../session/forwardable-meta.ts";
import { isInteractive } from "../../session/op.ts";
import type { Op } from "../../session/op.ts";
import type { Outcome, Suspended } from "../../session/outcome.ts";
import { askMethod, parseAskAnswer } from "../../session/parse-ask.ts";
import { parseFrontCapabilities } from "../../session/front-capabilities.ts";
import { isLogLevel } from "../../session/parse-log-entry.ts";
import { methodNotFound, parseOp } from "../../session/parse-op.ts";
import { toWireCapabilities } from "../../session/server-info.ts";
import type { ServerCapabilities } from "../../session/server-info.ts";
import type { Change, ChangeFilter } from "../../session/session.ts";
import { MODERN_NAMES, modernRevision } from "../../session/revisions.ts";
import type { Revision } from "../../session/revisions.ts";
import { toNotification } from "../../session/change-notification.ts";
import { DUPLICATE_REQUEST_ID, toPeerError } from "../../session/to-peer-error.ts";
import { missingMetaError, unsupportedVersionError } from "./request-meta-errors.ts";

/** Tells clients not to cache: results differ between callers and may change at any time. */
const NOT_CACHED: JsonObject = { ttlMs: 0, cacheScope: "private" };
/** The methods whose results must say how long they may be cached. */
const METHODS_WITH_TTL: ReadonlySet<string> = new Set([
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
]);

const MAX_SUBSCRIPTIONS = 1000;
/** How long the acknowledgement of a subscription waits for the servers. */
const ESTABLISH_MS = 5000;

export interface ModernServerOptions {
  readonly handler: McpRequestHandler;
  /** The client that makes the calls. */
  readonly caller: Caller;
  /** The owner of suspended calls: see `FrontContext`. */
  readonly session: Caller;
  /** The ids of the hosts that started the client. */
  readonly parentHostIds?: readonly string[] | undefined;
  readonly clock?: Clock;
}

interface PendingRequest {
  readonly abort: Cancellation;
  /** Undefined for a subscription, which has no final answer. */
  readonly respond: SendResponse | undefined;
}

export class ModernServer {
  readonly #handler: McpRequestHandler;
  readonly #caller: Caller;
  readonly #session: Caller;
  readonly #parentHostIds: readonly string[];
  readonly #clock: Clock;
  readonly #pending = new Map<RequestId, PendingRequest>();

  constructor({ handler, caller, session, parentHostIds = [], clock = systemClock }: ModernServerOptions) {
    this.#clock = clock;
    this.#handler = handler;
    this.#parentHostIds = parentHostIds;
    this.#caller = caller;
    this.#session = session;
  }

  async receive(
    { id, method, params = {} }: RequestMessage,
    stream: ResponseStream,
    onDisconnect?: OnDisconnect,
  ): Promise<void> {
    const revision = revisionOf(params);
    const respond: SendResponse = (body) => stream.send({ jsonrpc: "2.0", id, ...body }, revision.name, method);
    const invalid = missingMetaError(params) ?? unsupportedVersionError(params);
    if (invalid) return respond({ error: invalid });
    const loopError = rejectOwnClient(this.#handler.identity, [
      ...this.#parentHostIds,
      ...parseHostIds(params["_meta"]),
    ]);
    if (loopError) return respond({ error: loopError });
    if (this.#pending.has(id)) return respond({ error: DUPLICATE_REQUEST_ID });
    const abort = new Cancellation();
    onDisconnect?.(() => abort.abort("the client went away"));
    this.#pending.set(id, { abort, respond: isSubscription(method) ? undefined : respond });
    const { [META_KEYS.clientInfo]: clientInfo } = params["_meta"] as JsonObject;
    const caller = withClientName(this.#caller, clientInfo);
    const endRequest = this.#handler.onRequest?.(caller, {
      revision,
      version: clientVersion(clientInfo),
    });
    try {
      if (method === "server/discover") {
        if (this.#handler.ready) await this.#handler.ready();
        return respond({ result: this.#discover() });
      }
      if (isSubscription(method)) return await this.#listen(id, params, stream, abort, respond);
      const op = isOldTaskMethod(method)
        ? methodNotFound(method)
        : parseOp(method, params, this.#handler.capabilities(this.#caller));
      if (isPeerError(op)) return respond({ error: op });
      const outcome = await this.#run(op, caller, params, stream, abort);
      if (outcome.type !== "asks") return abort.aborted ? stream.end() : respond(this.#toResponse(outcome, op));
      const response = abort.aborted ? undefined : await this.#inputRequired(outcome, op);
      if (response && !abort.aborted) return respond(response);
      // A cancelled request gets no response, and its questions get no answer.
      outcome.abandon("the client went away");
      stream.end();
    } catch (thrown) {
      respond({ error: toPeerError(toHostError(thrown)) });
    } finally {
      this.#pending.delete(id);
      endRequest?.();
    }
  }

  cancel(id: RequestId): void {
    this.#pending.get(id)?.abort.abort("the client cancelled the call");
  }

  /** True while a request other than a subscription is pending. */
  get busy(): boolean {
    return [...this.#pending.values()].some(({ respond }) => respond);
  }

  /** Cancels every pending request. Answers each with the error if one is given. */
  close(error?: HostError): void {
    for (const { abort, respond } of this.#pending.values()) {
      if (error) respond?.({ error: toPeerError(error) });
      abort.abort(error ? "the host is closing" : "the client went away");
    }
  }

  #run(op: Op, caller: Caller, params: JsonObject, stream: ResponseStream, signal: CancelSignal): Promise<Outcome> {
    const meta = params["_meta"] as JsonObject;
    const { progressToken, [META_KEYS.logLevel]: logLevel, [META_KEYS.clientInfo]: clientInfo } = meta;
    const revision = revisionOf(params);
    const notify = (method: string, params: JsonObject) =>
      stream.send({ jsonrpc: "2.0", method, params }, revision.name);
    const clientName = isJsonObject(clientInfo) ? clientInfo["name"] : undefined;
    const wantsLogs = isLogLevel(logLevel);
    const { elicitation, sampling, roots, tasks, extensions } = parseFrontCapabilities(
      meta[META_KEYS.clientCapabilities],
    );
    // Lists all fields, because copying the capabilities would take a hundred times as long.
    const ctx: FrontContext = {
      elicitation,
      sampling,
      roots,
      tasks,
      extensions,
      session: this.#session,
      clientName: typeof clientName === "string" ? clientName : undefined,
      signal,
      revision,
      meta: forwardableMeta(meta),
      onProgress:
        progressToken === undefined
          ? undefined
          : (progress) => notify("notifications/progress", { progressToken, ...progress }),
      logLevel: wantsLogs ? logLevel : undefined,
      onLog: wantsLogs ? (entry) => notify("notifications/message", { ...entry }) : undefined,
    };
    const { inputResponses, requestState } = params;
    const isContinuation = isInteractive(op) && (inputResponses !== undefined || requestState !== undefined);
    if (!isContinuation) return this.#handler.request(op, caller, ctx);
    const state = typeof requestState === "string" ? requestState : undefined;
    return this.#handler.resume(state, parseAnswers(inputResponses), op, caller, ctx);
  }

  #toResponse(outcome: Exclude<Outcome, Suspended>, op: Op): { result: JsonObject } | { error: PeerError } {
    switch (outcome.type) {
      case "failed":
        return { error: toPeerError(outcome.error) };
      case "task":
        return { result: this.#withServerInfo(outcome.task) };
      case "complete": {
        const cacheHint = METHODS_WITH_TTL.has(op.method) ? NOT_CACHED : {};
        return { result: this.#withServerInfo({ ...outcome.result, ...cacheHint, resultType: "complete" }) };
      }
    }
  }

  async #inputRequired(suspended: Suspended, op: Op): Promise<{ result: JsonObject } | { error: PeerError }> {
    const requests = Object.entries(suspended.asks).map(([key, ask]) => [
      key,
      { method: askMethod(ask), params: ask.rawParams },
    ]);
    try {
      const requestState = await this.#handler.storeSuspended(suspended, op, this.#session);
      const inputRequests = Object.fromEntries(requests) as JsonObject;
      return { result: this.#withServerInfo({ resultType: "input_required", inputRequests, requestState }) };
    } catch (thrown) {
      suspended.abandon("it could not be stored");
      return { error: toPeerError(toHostError(thrown)) };
    }
  }

  #discover(): JsonObject {
    const { instructions, identity } = this.#handler;
    return this.#withServerInfo({
      _meta: gatewayIdsMeta(identity, this.#handler.hostIds?.()),
      resultType: "complete",
      supportedVersions: [...MODERN_NAMES],
      capabilities: toWireCapabilities(this.#handler.capabilities(this.#caller)),
      ...NOT_CACHED,
      ...(instructions !== undefined && { instructions }),
    });
  }

  /**
   * Subscribes at the servers, acknowledges the subscription, and sends notifications until the client cancels it. A
   * server that is slow or fails delays the acknowledgement for a short time only.
   */
  async #listen(
    id: RequestId,
    params: JsonObject,
    stream: ResponseStream,
    signal: CancelSignal,
    respond: SendResponse,
  ): Promise<void> {
    const requested = isJsonObject(params["notifications"]) ? params["notifications"] : undefined;
    if (!requested) return respond({ error: { code: INVALID_PARAMS, message: '"notifications" is missing' } });
    const { filter, notifications } = parseFilter(requested, this.#handler.capabilities(this.#caller));
    const meta = { [META_KEYS.subscriptionId]: id };
    const { name: revision } = revisionOf(params);
    const notify = (change: Change) => {
      if (isWhole(change)) stream.send(toNotification(change, meta), revision);
    };
    // The acknowledgement must be the first message, so earlier changes wait for it.
    const early: Change[] = [];
    let acknowledged = false;
    const subscription = this.#handler.listen(filter, this.#caller, (change) => {
      if (acknowledged) notify(change);
      else early.push(change);
    });
    const { established } = subscription;
    if (established) await settlesInTime(established, { signal, timeoutMs: ESTABLISH_MS }, this.#clock);
    if (!signal.aborted) {
      const method = "notifications/subscriptions/acknowledged";
      stream.send({ jsonrpc: "2.0", method, params: { notifications, _meta: meta } }, revision);
      acknowledged = true;
      early.forEach(notify);
    }
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    subscription.stop();
    stream.end();
  }

  /** Replaces the server info of the real server with our own. */
  #withServerInfo(result: JsonObject): JsonObject {
    const meta = isJsonObject(result["_meta"]) ? result["_meta"] : {};
    return { ...result, _meta: { ...meta, [META_KEYS.serverInfo]: implementationInfo(this.#handler.identity) } };
  }
}

/** Recognises the request without a response, which lasts until the client stops listening. */
export function isSubscription(method: string): boolean {
  return method === "subscriptions/listen";
}

/** The methods of the tasks of 2025-11-25 that the extension does not have. */
function isOldTaskMethod(method: string): boolean {
  return method === "tasks/result" || method === "tasks/list";
}

/** False for a task whose server reports only the status, without the result or questions. The client polls these. */
function isWhole(change: Change): boolean {
  if (change.type !== "task") return true;
  const part = DETAIL_OF_STATUS.get(change.task["status"]);
  return part === undefined || change.task[part] !== undefined;
}

/** The field that a task of each status must have. */
const DETAIL_OF_STATUS: ReadonlyMap<Json | undefined, string> = new Map([
  ["completed", "result"],
  ["failed", "error"],
  ["input_required", "inputRequests"],
]);

export function isModernRequest(params: JsonObject | undefined): boolean {
  return isJsonObject(params?.["_meta"]) && params["_meta"][META_KEYS.protocolVersion] !== undefined;
}

/** Returns the supported part of the subscription, as a filter and as the acknowledgement to the client. */
function parseFilter(requested: JsonObject, { listChanged, subscribe, tasks: offersTasks }: ServerCapabilities) {
  const tools = requested["toolsListChanged"] === true && listChanged.tools;
  const resources = requested["resourcesListChanged"] === true && listChanged.resources;
  const prompts = requested["promptsListChanged"] === true && listChanged.prompts;
  const uris = subscribe ? stringItems(requested["resourceSubscriptions"]) : [];
  const tasks = offersTasks ? stringItems(requested["taskIds"]) : [];
  const filter: ChangeFilter = { tools, resources, prompts, uris, tasks };
  const notifications: JsonObject = {
    ...(tools && { toolsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(tasks.length > 0 && { taskIds: tasks }),
  };
  return { filter, notifications };
}

function stringItems(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, MAX_SUBSCRIPTIONS) : [];
}

/** Leaves out responses that are not objects, so that their questions are asked again. */
function parseAnswers(responses: Json | undefined): AskAnswers {
  if (!isJsonObject(responses)) return {};
  const valid = Object.entries(responses).filter(([, response]) => isJsonObject(response));
  return Object.fromEntries(valid.map(([key, response]) => [key, parseAskAnswer(response)]));
}

/** Returns the revision that the request names. */
function revisionOf({ _meta: meta }: JsonObject): Revision {
  return modernRevision(isJsonObject(meta) ? meta[META_KEYS.protocolVersion] : undefined);
}
