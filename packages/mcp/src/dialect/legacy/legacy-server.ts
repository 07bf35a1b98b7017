/**
 * The server side of the legacy revisions: the session of one gateway client. The questions of a call are sent to the
 * client as requests on the stream of that call.
 */
import {
  isJsonObject,
  isPeerError,
  mayApprove,
  toHostError,
  Cancellation,
  toAbortSignal,
  systemClock,
} from "@plugboard/contracts";
import type {
  Caller,
  HostError,
  JsonObject,
  LogLevel,
  PeerError,
  Principal,
  Root,
  CancelSignal,
  Clock,
} from "@plugboard/contracts";
import type { ParsedMessage, Malformed, NotificationMessage, RequestId, RequestMessage } from "../../wire/message.ts";
import { INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR } from "../../wire/rpc-error-codes.ts";
import type { OnDisconnect, SendResponse, ResponseStream } from "../../wire/response-stream.ts";
import { NO_ANSWER, SAMPLING_UNSUPPORTED } from "../../session/ask.ts";
import type { Ask, AskAnswer } from "../../session/ask.ts";
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
import type { Op } from "../../session/op.ts";
import type { Outcome, Suspended } from "../../session/outcome.ts";
import { askMethod, parseAskAnswer } from "../../session/parse-ask.ts";
import { parseFrontCapabilities, NO_FRONT_CAPABILITIES } from "../../session/front-capabilities.ts";
import { isLogLevel } from "../../session/parse-log-entry.ts";
import { methodNotFound, parseOp } from "../../session/parse-op.ts";
import { toWireCapabilities } from "../../session/server-info.ts";
import type { ChangeSubscription } from "../../session/session.ts";
import { findLegacy, NEWEST_LEGACY } from "../../session/revisions.ts";
import type { Revision } from "../../session/revisions.ts";
import { toNotification } from "../../session/change-notification.ts";
import { DUPLICATE_REQUEST_ID, toPeerError } from "../../session/to-peer-error.ts";
import { ServedTasks, TASK_CAPABILITY, taskRequest, taskResult } from "./served-tasks.ts";
import { withRelatedTask } from "./task-form.ts";

export interface LegacyServerOptions {
  readonly handler: McpRequestHandler;
  readonly caller: Caller;
  /** The stream for messages that belong to no call. */
  readonly push: ResponseStream;
  /** The ids of the hosts that started the client. */
  readonly parentHostIds?: readonly string[] | undefined;
  readonly clock?: Clock;
}

/** The request that brought a message. A session may be used with several tokens of one principal. */
interface Carrier {
  /** The holder of the token, with the rights of this token. By default that of the session. */
  readonly principal?: Principal;
  /** Reports that the client no longer reads the response. */
  readonly onDisconnect?: OnDisconnect;
}

/** An answer of the client, and whether its request may approve calls. */
interface CarriedAnswer {
  /** Undefined if the question was withdrawn. Differs from `cancel`, the answer of a user who dismisses the question. */
  readonly answer: AskAnswer | undefined;
  readonly mayApprove: boolean;
}

interface PendingRequest {
  readonly abort: Cancellation;
  readonly respond: SendResponse;
}

type LocalResponse = { readonly result: JsonObject } | { readonly error: PeerError };
type FinalOutcome = Extract<Outcome, { type: "complete" | "failed" | "task" }>;

const MAX_SUBSCRIPTIONS = 1000;
/** The requests that the session handles itself. */
const LOCAL_METHODS: ReadonlySet<string> = new Set([
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
]);
/** How long the client may take to list its roots. */
const ROOTS_MS = 5000;

export class LegacyServer {
  revision: Revision = NEWEST_LEGACY;

  readonly #handler: McpRequestHandler;
  #caller: Caller;
  readonly #push: ResponseStream;
  readonly #parentHostIds: readonly string[];
  readonly #clock: Clock;
  readonly #pending = new Map<RequestId, PendingRequest>();
  readonly #pendingAsks = new Map<RequestId, (carried: CarriedAnswer) => void>();
  readonly #resourceSubscriptions = new Map<string, ChangeSubscription>();
  /** Made for the first task. */
  #madeTasks: ServedTasks | undefined;
  #frontCapabilities = NO_FRONT_CAPABILITIES;
  #clientVersion: string | undefined;
  /** The client's roots, until it says that they have changed. */
  #roots: Promise<readonly Root[] | undefined> | undefined;
  #logLevel: LogLevel | undefined;
  #listSubscription: ChangeSubscription | undefined;
  #logSubscription: ChangeSubscription | undefined;
  #lastAskId = 0;
  readonly #closed = new AbortController();

  constructor({ handler, caller, push, parentHostIds = [], clock = systemClock }: LegacyServerOptions) {
    this.#clock = clock;
    this.#handler = handler;
    this.#parentHostIds = parentHostIds;
    this.#caller = caller;
    this.#push = push;
  }

  /** Answers requests on the given stream. */
  receive(incoming: ParsedMessage, stream: ResponseStream, { principal, onDisconnect }: Carrier = {}): void {
    const caller = this.#callerWith(principal);
    switch (incoming.type) {
      case "request":
        return void this.#onRequest(incoming.message, stream, caller, onDisconnect);
      case "notification":
        return this.#onNotification(incoming.message);
      case "result":
        return this.#settleAsk(incoming.message.id, parseAskAnswer(incoming.message.result), mayApprove(caller));
      case "error":
        return this.#settleAsk(incoming.message.id, NO_ANSWER);
      case "malformed":
        return this.#rejectMalformed(incoming, stream);
    }
  }

  /** Returns the caller with the rights of the request's own token. */
  #callerWith(principal: Principal | undefined): Caller {
    const isSame = principal === undefined || principal.mayApprove === this.#caller.principal?.mayApprove;
    return isSame ? this.#caller : { ...this.#caller, principal };
  }

  /** True while a request of this client is pending. */
  get busy(): boolean {
    return this.#pending.size > 0;
  }

  /** Reports a request or a stream of this client to the handler. Returns a function that reports its end. */
  beginRequest(): () => void {
    const client = { revision: this.revision, version: this.#clientVersion };
    return this.#handler.onRequest?.(this.#caller, client) ?? noop;
  }

  /** Cancels every pending request. Answers each with the error if one is given. */
  close(error?: HostError): void {
    this.#closed.abort();
    this.#listSubscription?.stop();
    this.#logSubscription?.stop();
    for (const subscription of this.#resourceSubscriptions.values()) subscription.stop();
    this.#resourceSubscriptions.clear();
    this.#madeTasks?.close();
    for (const { abort, respond } of this.#pending.values()) {
      if (error) respond({ error: toPeerError(error) });
      abort.abort(error ? "the host is closing" : "the client went away");
    }
    for (const id of [...this.#pendingAsks.keys()]) this.#settleAsk(id, NO_ANSWER);
  }

  async #onRequest(
    { id, method, params = {} }: RequestMessage,
    stream: ResponseStream,
    caller: Caller,
    onDisconnect?: OnDisconnect,
  ): Promise<void> {
    const respond: SendResponse = (body) => stream.send({ jsonrpc: "2.0", id, ...body }, this.revision.name, method);
    const loopError = rejectOwnClient(
      this.#handler.identity,
      this.#parentHostIds.concat(parseHostIds(params["_meta"])),
    );
    if (loopError) return respond({ error: loopError });
    if (method === "initialize") {
      if (this.#handler.ready) await this.#handler.ready();
      const result = this.#initialize(params);
      // Reports the client once, now that its name is known.
      this.beginRequest()();
      return respond({ result });
    }
    const endRequest = this.beginRequest();
    try {
      await this.#answer({ id, method, params }, stream, caller, respond, onDisconnect);
    } finally {
      endRequest();
    }
  }

  async #answer(
    { id, method, params = {} }: Pick<RequestMessage, "id" | "method" | "params">,
    stream: ResponseStream,
    caller: Caller,
    respond: SendResponse,
    onDisconnect?: OnDisconnect,
  ): Promise<void> {
    const localResponse = this.#handleLocally(method, params);
    if (localResponse) return respond(await localResponse);
    const op =
      isTaskMethod(method) && !this.#servesTask(method)
        ? methodNotFound(method)
        : parseOp(method, params, this.#handler.capabilities(this.#caller));
    if (isPeerError(op)) return respond({ error: op });
    if (this.#pending.has(id)) return respond({ error: DUPLICATE_REQUEST_ID });
    const abort = new Cancellation();
    onDisconnect?.(() => abort.abort("the client went away"));
    this.#pending.set(id, { abort, respond });
    try {
      const outcome = await this.#run(op, caller, params, stream, abort);
      // A cancelled request gets no response.
      if (!abort.aborted) respond(this.#toResponse(outcome, op));
      else stream.end();
    } catch (thrown) {
      respond({ error: toPeerError(toHostError(thrown)) });
    } finally {
      this.#pending.delete(id);
    }
  }

  #initialize(params: JsonObject): JsonObject {
    this.#caller = withClientName(this.#caller, params["clientInfo"]);
    this.#clientVersion = clientVersion(params["clientInfo"]);
    this.#frontCapabilities = parseFrontCapabilities(params["capabilities"]);
    this.revision = findLegacy(params["protocolVersion"]) ?? NEWEST_LEGACY;
    const { identity, instructions } = this.#handler;
    return {
      protocolVersion: this.revision.name,
      capabilities: this.#wireCapabilities(),
      serverInfo: implementationInfo(identity),
      ...(instructions !== undefined && { instructions }),
      ...(identity.ids && { _meta: gatewayIdsMeta(identity, this.#handler.hostIds?.()) }),
    };
  }

  /** Declares tasks as a capability of this era, not as the extension. */
  #wireCapabilities(): JsonObject {
    const capabilities = this.#handler.capabilities(this.#caller);
    const wire = toWireCapabilities({ ...capabilities, tasks: false });
    return this.#hasTasks && capabilities.tasks ? { ...wire, tasks: TASK_CAPABILITY } : wire;
  }

  get #hasTasks(): boolean {
    return this.revision === NEWEST_LEGACY;
  }

  /** Only the extension has `tasks/update`. */
  #servesTask(method: string): boolean {
    return this.#hasTasks && method !== "tasks/update";
  }

  get #tasks(): ServedTasks {
    return (this.#madeTasks ??= new ServedTasks({
      listen: (filter, onChange) => this.#handler.listen(filter, this.#caller, onChange),
      push: (message) => this.#push.send(message, this.revision.name),
    }));
  }

  /** Handles requests that concern only this session: `ping`, the log level and resource subscriptions. */
  #handleLocally(method: string, params: JsonObject): LocalResponse | Promise<LocalResponse> | undefined {
    if (!LOCAL_METHODS.has(method)) return undefined;
    if (method === "ping") return { result: {} };
    const { logging, subscribe } = this.#handler.capabilities(this.#caller);
    if (method === "logging/setLevel" && logging) {
      const { level } = params;
      if (!isLogLevel(level)) return invalid('"level" is not a log level');
      this.#logLevel = level;
      this.#logSubscription?.stop();
      this.#logSubscription = this.#handler.listenLogs?.(level, this.#caller, (entry) =>
        this.#push.send({ jsonrpc: "2.0", method: "notifications/message", params: { ...entry } }, this.revision.name),
      );
      return { result: {} };
    }
    if (!subscribe || (method !== "resources/subscribe" && method !== "resources/unsubscribe")) return undefined;
    const { uri } = params;
    if (typeof uri !== "string") return invalid('"uri" is missing');
    return method === "resources/subscribe" ? this.#subscribe(uri) : this.#unsubscribe(uri);
  }

  /** Waits until the server of the resource has accepted the subscription. If it rejects it, answers with its error. */
  async #subscribe(uri: string): Promise<LocalResponse> {
    const subscriptions = this.#resourceSubscriptions;
    if (!subscriptions.has(uri) && subscriptions.size >= MAX_SUBSCRIPTIONS)
      return invalid(`more than ${MAX_SUBSCRIPTIONS} resources are subscribed`);
    const subscription = subscriptions.get(uri) ?? this.#watchResource(uri);
    subscriptions.set(uri, subscription);
    try {
      await subscription.established;
      return { result: {} };
    } catch (thrown) {
      subscription.stop();
      if (subscriptions.get(uri) === subscription) subscriptions.delete(uri);
      return { error: toPeerError(toHostError(thrown)) };
    }
  }

  #watchResource(uri: string): ChangeSubscription {
    return this.#handler.listen({ uris: [uri] }, this.#caller, (change) =>
      this.#push.send(toNotification(change), this.revision.name),
    );
  }

  #unsubscribe(uri: string): { result: JsonObject } {
    this.#resourceSubscriptions.get(uri)?.stop();
    this.#resourceSubscriptions.delete(uri);
    return { result: {} };
  }

  async #run(
    op: Op,
    caller: Caller,
    params: JsonObject,
    stream: ResponseStream,
    signal: CancelSignal,
  ): Promise<FinalOutcome> {
    const { progressToken } = isJsonObject(params["_meta"]) ? params["_meta"] : {};
    const { elicitation, sampling, roots, extensions } = this.#frontCapabilities;
    const logLevel = this.#logLevel;
    const notify = (method: string, params: JsonObject) =>
      stream.send({ jsonrpc: "2.0", method, params }, this.revision.name);
    // Lists all fields, because copying the capabilities would take a hundred times as long.
    const ctx: FrontContext = {
      elicitation,
      sampling,
      roots,
      extensions,
      tasks:
        op.method === "tools/call" && params["task"] !== undefined && this.#hasTasks && taskRequest(params["task"]),
      listRoots: roots ? () => (this.#roots ??= this.#listRoots(stream, signal)) : undefined,
      session: caller,
      signal,
      revision: this.revision,
      meta: forwardableMeta(params["_meta"]),
      onProgress:
        progressToken === undefined
          ? undefined
          : (progress) => notify("notifications/progress", { progressToken, ...progress }),
      logLevel,
      onLog: logLevel === undefined ? undefined : (entry) => notify("notifications/message", { ...entry }),
    };
    let outcome = await this.#handler.request(op, caller, ctx);
    while (outcome.type === "asks" || outcome.type === "task") {
      if (outcome.type === "task") {
        if (ctx.tasks) return outcome;
        // The client has not asked for a task, so its request stays open until the task ends.
        outcome = await outcome.follow({ signal });
      } else if (outcome.rejected) outcome = await this.#passRejection(outcome, signal);
      else {
        const asked = await this.#askAll(outcome, stream, signal, op);
        outcome = await outcome.resume(asked.answers, { signal, mayApprove: asked.mayApprove });
      }
    }
    // A legacy client gets the cancelled task as the response. The response of the extension is empty.
    if (op.method !== "tasks/cancel" || outcome.type === "failed") return outcome;
    return (await this.#handler.request({ ...op, method: "tasks/get" }, caller, ctx)) as FinalOutcome;
  }

  /**
   * Returns the error of a server that needs visits to URLs first. The client shows the URLs, and sends its call again.
   */
  #passRejection(rejected: Suspended, signal: CancelSignal): Promise<Outcome> {
    for (const ask of Object.values(rejected.asks)) {
      const { elicitationId } = ask.rawParams;
      if (isVisit(ask) && typeof elicitationId === "string") this.#reportVisit(ask.visited, elicitationId);
    }
    return rejected.resume({}, { signal });
  }

  /** Asks for the roots on the stream of a call. If the call ends before the answer, the next call asks again. */
  async #listRoots(stream: ResponseStream, callEnded: CancelSignal): Promise<readonly Root[] | undefined> {
    const tooLate = new AbortController();
    const cancelTimeout = this.#clock.after(ROOTS_MS, () => tooLate.abort());
    const obsolete = AbortSignal.any([toAbortSignal(callEnded), tooLate.signal]);
    const { answer } = await this.#ask({ type: "roots", rawParams: {} }, stream, obsolete);
    cancelTimeout();
    if (callEnded.aborted) this.#roots = undefined;
    return answer?.action === "listed" ? parseRoots(answer.result) : undefined;
  }

  async #askAll({ asks, obsolete }: Suspended, stream: ResponseStream, signal: CancelSignal, op: Op) {
    const callEnded = AbortSignal.any([obsolete, toAbortSignal(signal)]);
    const asked = Object.entries(asks).map(async ([key, ask]) => {
      const askObsolete = ask.withdrawn ? AbortSignal.any([callEnded, ask.withdrawn]) : callEnded;
      const task = op.method === "tasks/result" ? op.params.taskId : undefined;
      return [key, await this.#ask(ask, stream, askObsolete, task)] as const;
    });
    const carried = await Promise.all(asked);
    return {
      answers: Object.fromEntries(carried.flatMap(([key, { answer }]) => (answer ? [[key, answer]] : []))),
      mayApprove: carried.every(([, one]) => one.mayApprove),
    };
  }

  /** Sends one question to the client, and resolves with its answer. */
  #ask(ask: Ask, stream: ResponseStream, obsolete: AbortSignal, task?: string): Promise<CarriedAnswer> {
    if (!this.#canBeAsked(ask)) {
      const answer = ask.type === "sampling" ? SAMPLING_UNSUPPORTED : NO_ANSWER;
      return Promise.resolve({ answer, mayApprove: false });
    }
    const id = `plugboard-${++this.#lastAskId}`;
    return new Promise((resolve) => {
      const cancelAsk = () => {
        stream.send(
          { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } },
          this.revision.name,
        );
        this.#settleAsk(id, undefined);
      };
      this.#pendingAsks.set(id, (carried) => {
        obsolete.removeEventListener("abort", cancelAsk);
        resolve(carried);
      });
      obsolete.addEventListener("abort", cancelAsk, { once: true });
      if (obsolete.aborted) return this.#settleAsk(id, undefined);
      if (isVisit(ask)) this.#reportVisit(ask.visited, id);
      const asked = isVisit(ask) ? { ...ask.rawParams, elicitationId: id } : ask.rawParams;
      const params = task === undefined ? asked : withRelatedTask(asked, task);
      stream.send({ jsonrpc: "2.0", id, method: askMethod(ask), params }, this.revision.name);
    });
  }

  /** Tells the client when the server has reported the visit, which may be after the end of the call. */
  #reportVisit(visited: AbortSignal | undefined, elicitationId: string): void {
    const method = "notifications/elicitation/complete";
    const report = () => this.#push.send({ jsonrpc: "2.0", method, params: { elicitationId } }, this.revision.name);
    visited?.addEventListener("abort", report, { once: true, signal: this.#closed.signal });
  }

  #canBeAsked(ask: Ask): boolean {
    const { elicitation, sampling, roots = false } = this.#frontCapabilities;
    if (ask.type === "roots") return roots;
    return ask.type === "sampling" ? Boolean(sampling) : elicitation[ask.elicitation.mode];
  }

  /** Answers with an error only if the message looks like a request. */
  #rejectMalformed({ reason, id, looksLike }: Malformed, stream: ResponseStream): void {
    if (looksLike !== "request") return;
    const error = { code: reason.startsWith("not JSON") ? PARSE_ERROR : INVALID_REQUEST, message: reason };
    // The method is unknown, but it must be given for a response.
    const requestMethod = "";
    stream.send({ jsonrpc: "2.0", ...(id !== undefined && { id }), error }, this.revision.name, requestMethod);
  }

  #settleAsk(id: RequestId | undefined, answer: AskAnswer | undefined, mayApprove = false): void {
    if (id === undefined) return;
    const settle = this.#pendingAsks.get(id);
    this.#pendingAsks.delete(id);
    settle?.({ answer, mayApprove });
  }

  #onNotification({ method, params = {} }: NotificationMessage): void {
    if (method === "notifications/initialized") this.#listen();
    if (method === "notifications/roots/list_changed") this.#roots = undefined;
    const { requestId } = params;
    if (method !== "notifications/cancelled" || (typeof requestId !== "string" && typeof requestId !== "number"))
      return;
    this.#pending.get(requestId)?.abort.abort("the client cancelled the call");
  }

  #listen(): void {
    this.#listSubscription ??= this.#handler.listen(
      this.#handler.capabilities(this.#caller).listChanged,
      this.#caller,
      (change) => this.#push.send(toNotification(change), this.revision.name),
    );
  }

  #toResponse(outcome: FinalOutcome, op: Op): { result: JsonObject } | { error: PeerError } {
    if (outcome.type === "failed") return { error: toPeerError(outcome.error) };
    if (outcome.type === "task") return { result: { task: this.#tasks.begin(outcome.task) } };
    if (isTaskMethod(op.method)) return { result: taskResult(op, outcome.result) };
    if (!("resultType" in outcome.result)) return { result: outcome.result };
    // Legacy results have no type.
    const { resultType: _, ...result } = outcome.result;
    return { result };
  }
}

/**
 * Recognises a question with a URL to visit. The client gets it with an id of ours, because modern servers send none,
 * and two servers may use the same.
 */
function isVisit(ask: Ask): ask is Extract<Ask, { type: "elicitation" }> {
  return ask.type === "elicitation" && ask.elicitation.mode === "url";
}

/** Leaves out roots without a URI. */
function parseRoots({ roots }: JsonObject): Root[] {
  return (Array.isArray(roots) ? roots : []).flatMap((root) => {
    const { uri, name } = isJsonObject(root) ? root : {};
    return typeof uri === "string" ? [{ uri, ...(typeof name === "string" && { name }) }] : [];
  });
}

function noop(): void {}

function isTaskMethod(method: string): boolean {
  return method.startsWith("tasks/");
}

function invalid(message: string): { error: PeerError } {
  return { error: { code: INVALID_PARAMS, message } };
}
