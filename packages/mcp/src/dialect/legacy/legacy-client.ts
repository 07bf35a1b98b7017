/**
 * The client side of the legacy revisions (2024-11-05 to 2025-11-25) after the handshake: sends requests, routes the
 * server's questions and notifications, and keeps the log level.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject, LogLevel, PeerError, Tool } from "@plugboard/contracts";
import { settlesInTime } from "../../lib/settles-in-time.ts";
import type { OutgoingRequest } from "../../wire/outgoing-request.ts";
import type { NotificationMessage, RequestId } from "../../wire/message.ts";
import type { Peer } from "../../wire/peer.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { parseChange } from "../../session/change-notification.ts";
import { isInteractive, unsupportedMethodError, wireMethod } from "../../session/op.ts";
import type { Op } from "../../session/op.ts";
import { failedOutcome, peerErrorOutcome, requestFailed } from "../../session/outcome.ts";
import type { Outcome } from "../../session/outcome.ts";
import { isMoreVerbose, parseLogEntry } from "../../session/parse-log-entry.ts";
import type { ServerCapabilities, ServerInfo } from "../../session/server-info.ts";
import type {
  CallContext,
  CallerTurns,
  Change,
  ChangeFilter,
  ChangeSubscription,
  Session,
  SessionPorts,
} from "../../session/session.ts";
import { AskRouter } from "./ask-router.ts";
import { CallsInFlight } from "./calls-in-flight.ts";
import { ChangeListeners } from "./change-listeners.ts";
import type { SubscribeMethod } from "./change-listeners.ts";
import { LegacyCall } from "./legacy-call.ts";
import type { CallSession } from "./legacy-call.ts";
import { LegacyTasks } from "./legacy-tasks.ts";
import { RootsExchange } from "./roots-exchange.ts";
import { SessionRenewal } from "./session-renewal.ts";
import type { SessionRenewalOptions } from "./session-renewal.ts";
import { fromLegacyTask } from "./task-form.ts";
import { UrlVisits, urlElicitationOutcome } from "./url-elicitation.ts";

export interface LegacyClientOptions extends Pick<
  SessionRenewalOptions,
  "server" | "peer" | "clock" | "identity" | "version"
> {
  readonly serverInfo: ServerInfo;
  readonly ports: SessionPorts;
  readonly onClosed: (error: HostError) => void;
}

/** The timeout for requests that belong to no call: log level and subscriptions. */
const BACKGROUND_TIMEOUT_MS = 30_000;
/** How often a server may reject one call because the user must visit a page first. */
const MAX_ROUNDS = 10;

interface CallAttempt {
  /** How often the call was rejected because the user had to visit a page first. */
  readonly round: number;
  /** True if the call was sent again in a new session. */
  readonly renewed: boolean;
}

const FIRST_ATTEMPT: CallAttempt = { round: 0, renewed: false };

export class LegacyClient implements Session {
  readonly era = "legacy";
  readonly canBeForgotten = true;
  readonly version: string;
  turns: CallerTurns;
  serverInfo: ServerInfo;

  readonly #options: LegacyClientOptions;
  readonly #peer: Peer;
  readonly #headers: WireHeaders;
  readonly #calls: CallsInFlight;
  readonly #listeners: ChangeListeners;
  // Made on first use, because most servers need none of them.
  #madeAsks: AskRouter | undefined;
  #madeRoots: RootsExchange | undefined;
  #madeRenewal: SessionRenewal | undefined;
  #madeVisits: UrlVisits | undefined;
  #madeTasks: LegacyTasks | undefined;
  #logLevel: LogLevel | undefined;
  #sharedCallSession: { readonly generation: number; readonly session: CallSession } | undefined;

  constructor(options: LegacyClientOptions) {
    const { peer, clock, version, ports } = options;
    this.#options = options;
    this.turns = initialTurns(peer, ports);
    this.#peer = peer;
    this.version = version;
    this.serverInfo = options.serverInfo;
    this.#headers = { "mcp-protocol-version": version };
    this.#calls = new CallsInFlight(clock);
    this.#listeners = new ChangeListeners((method, uri) => this.#subscribe(method, uri));
    peer.revision = version;
    peer.setEventHandlers({
      request: (message, relatedRequestId) => this.#asks.onRequest(message, relatedRequestId),
      notification: (message, relatedRequestId) => this.#onNotification(message, relatedRequestId),
      lateResponse: (id) => this.#calls.onLateResponse(id),
      closed: (error) => this.#onClosed(error),
    });
  }

  get ignoredMessages(): number {
    return this.#peer.ignoredMessages;
  }

  get mayBeBusy(): boolean {
    return this.#peer.mayBeBusy;
  }

  request(op: Op, ctx: CallContext): Promise<Outcome> {
    const unsupported = unsupportedMethodError(this.#options.server, this.serverInfo, op);
    if (unsupported) return Promise.resolve(failedOutcome(unsupported));
    if (this.serverInfo.capabilities.tasks) {
      const aboutTask = this.#tasks.request(op, ctx);
      if (aboutTask) return aboutTask;
    }
    return this.#sendOrWait(op, ctx);
  }

  #sendOrWait(op: Op, ctx: CallContext): Promise<Outcome> {
    const unready =
      this.#madeRenewal?.pending !== undefined ||
      this.#madeRoots?.pending !== undefined ||
      needsMoreVerboseLevel(ctx.logLevel, this.#logLevel);
    return unready ? this.#sendWhenReady(op, ctx) : this.#send(op, ctx);
  }

  listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription {
    return this.#listeners.add(filter, onChange, this.serverInfo.capabilities.subscribe);
  }

  /** If the server declares tasks, records how the tool runs. If not, rejects a tool that runs only as a task. */
  unusableReason(tool: Tool): string | undefined {
    if (this.serverInfo.capabilities.tasks) this.#tasks.observe(tool);
    else if (tool.taskOnly) return "it runs only as a task, but its server does not declare tasks";
    return undefined;
  }

  setLogLevel(level: LogLevel): void {
    if (needsMoreVerboseLevel(level, this.#logLevel)) void this.#setLogLevel(level);
  }

  notifyRootsChanged(): void {
    if (!this.#options.ports.roots) return;
    this.#roots.onNotified(this.#peer.notify("notifications/roots/list_changed", undefined, this.#headers));
  }

  async ping(signal: AbortSignal, secondTry = false): Promise<void> {
    const generation = this.#generation;
    // Some servers ignore methods that they don't use, such as ping.
    const method = (secondTry && firstListMethod(this.serverInfo.capabilities)) || "ping";
    try {
      await this.#peer.request(method, () => ({}), { signal, headers: this.#headers }).response;
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "SESSION_LOST") throw error;
      await this.#renewal.renew(generation);
    }
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  async #sendWhenReady(op: Op, ctx: CallContext): Promise<Outcome> {
    const { clock } = this.#options;
    const pending = this.#madeRenewal?.pending;
    if (pending && !(await settlesInTime(pending, ctx, clock))) return this.#renewal.notSentOutcome(ctx);
    // A server that was told of new roots first requests them, which starts a second wait.
    while (this.#madeRoots?.pending && isInteractive(op)) {
      if (!(await settlesInTime(this.#madeRoots.pending, ctx, clock))) break;
    }
    if (needsMoreVerboseLevel(ctx.logLevel, this.#logLevel))
      await settlesInTime(this.#setLogLevel(ctx.logLevel), ctx, clock);
    return this.#send(op, ctx);
  }

  #send(op: Op, ctx: CallContext, attempt: CallAttempt = FIRST_ATTEMPT): Promise<Outcome> {
    const { signal, timeoutMs, maxMs, onProgress } = ctx;
    const request = this.#peer.request(wireMethod(op), (id) => wireParams(op, id, ctx), {
      signal,
      timeoutMs,
      maxMs,
      onProgress,
      headers: this.#headers,
      sendCancelled: true,
    });
    if (!isInteractive(op)) return this.#awaitResponse(op, ctx, request, attempt);
    const call = new LegacyCall(this.#callSession(attempt), op, ctx, request);
    if (!request.settled) this.#calls.track(call);
    request.setHandler(call);
    if (op.method === "tasks/result") this.#madeAsks?.onResultRequested(call, op.params.taskId);
    return call.next();
  }

  async #awaitResponse(op: Op, ctx: CallContext, request: OutgoingRequest, attempt: CallAttempt): Promise<Outcome> {
    const generation = this.#generation;
    try {
      const response = await request.response;
      return response.ok ? { type: "complete", result: response.result } : this.#peerError(op, response.error);
    } catch (error) {
      return this.#resendIfSessionLost(op, ctx, error as HostError, attempt, generation) ?? failedOutcome(error);
    }
  }

  /** All first attempts in the current session share one object, because creating one per call would be slow. */
  #callSession(attempt: CallAttempt): CallSession {
    const generation = this.#generation;
    const shared = this.#sharedCallSession;
    if (attempt === FIRST_ATTEMPT && shared?.generation === generation) return shared.session;
    const session: CallSession = {
      server: this.#options.server,
      onEnded: (call, end) => this.#calls.onEnded(call, end),
      answer: (question, answer) => this.#asks.answer(question, answer),
      askAgain: (question, ended) => this.#asks.askAgain(question, ended),
      onPeerError: ({ op, ctx }, error) => this.#askToVisitUrls(op, ctx, error, attempt) ?? this.#peerError(op, error),
      resend: ({ op, ctx }, error) => this.#resendIfSessionLost(op, ctx, error, attempt, generation),
    };
    if (attempt === FIRST_ATTEMPT) this.#sharedCallSession = { generation, session };
    return session;
  }

  #peerError(op: Op, error: PeerError): Outcome {
    return peerErrorOutcome(this.#options.server, op, error);
  }

  #resendIfSessionLost(
    op: Op,
    ctx: CallContext,
    error: HostError,
    attempt: CallAttempt,
    generation: number,
  ): Promise<Outcome> | undefined {
    return this.#renewal.resendIfLost({
      ctx,
      error,
      generation,
      renewed: attempt.renewed,
      resend: () => this.#send(op, ctx, { ...attempt, renewed: true }),
      toOutcome: (peerError) => this.#peerError(op, peerError),
    });
  }

  #onRenewed(serverInfo: ServerInfo): void {
    this.serverInfo = serverInfo;
    if (this.#logLevel !== undefined) void this.#requestInBackground("logging/setLevel", { level: this.#logLevel });
    this.#listeners.onNewSession();
  }

  /** Sets the most verbose level of all callers. Each caller gets only the entries of its own level. */
  async #setLogLevel(level: LogLevel): Promise<void> {
    if (!this.serverInfo.capabilities.logging) return;
    this.#logLevel = level;
    await this.#requestInBackground("logging/setLevel", { level });
  }

  /** Rejects with the error of the server. */
  async #subscribe(method: SubscribeMethod, uri: string): Promise<void> {
    const options = { headers: this.#headers, timeoutMs: BACKGROUND_TIMEOUT_MS };
    const response = await this.#peer.request(method, () => ({ uri }), options).response;
    if (!response.ok) throw requestFailed(this.#options.server, method, response.error);
  }

  /** Sends a request whose failure affects no call. */
  async #requestInBackground(method: string, params: JsonObject): Promise<void> {
    const options = { headers: this.#headers, timeoutMs: BACKGROUND_TIMEOUT_MS };
    await this.#peer.request(method, () => params, options).response.catch(() => {});
  }

  #askToVisitUrls(op: Op, ctx: CallContext, error: PeerError, { round }: CallAttempt): Outcome | undefined {
    if (round >= MAX_ROUNDS) return undefined;
    return urlElicitationOutcome(error, {
      visits: () => this.#visits,
      fail: () => this.#peerError(op, error),
      retry: (signal) => this.#send(op, { ...ctx, signal }, { round: round + 1, renewed: false }),
    });
  }

  #onNotification({ method, params }: NotificationMessage, relatedRequestId: RequestId | undefined): void {
    const change = parseChange(method, params);
    if (change) return this.#listeners.emit(change);
    if (method === "notifications/tasks/status") return this.#onTaskStatus(fromLegacyTask(params ?? {}));
    if (method === "notifications/message") return this.#onLog(params, relatedRequestId);
    if (method === "notifications/elicitation/complete") return this.#madeVisits?.complete(params?.["elicitationId"]);
    if (method !== "notifications/cancelled") return;
    const id = params?.["requestId"];
    if (typeof id === "string" || typeof id === "number") this.#asks.onCancelled(id, relatedRequestId);
  }

  #onTaskStatus(task: JsonObject): void {
    const begunBy = this.#madeTasks?.onStatus(task);
    this.#listeners.emit({ type: "task", task, begunBy });
  }

  #onLog(params: JsonObject | undefined, relatedRequestId: RequestId | undefined): void {
    const entry = parseLogEntry(params);
    if (!entry) return;
    this.#options.ports.onAnyLog?.(entry);
    const call = relatedRequestId === undefined ? this.#calls.onlyCall : this.#calls.get(relatedRequestId);
    if (call) return call.log(entry);
    const audience = this.#calls.logAudience;
    if (audience !== "unknown") this.#options.ports.onLog?.(entry, audience.principal);
  }

  #onClosed(error: HostError): void {
    this.#madeAsks?.onClosed();
    this.#calls.clear();
    this.#options.onClosed(error);
  }

  get #asks(): AskRouter {
    const { peer, clock, ports } = this.#options;
    return (this.#madeAsks ??= new AskRouter({
      peer,
      clock,
      ports,
      headers: this.#headers,
      calls: this.#calls,
      visits: () => this.#visits,
      openTasks: () => this.#madeTasks?.open ?? [],
      onRootsAnswered: (sent) => this.#roots.onAnswered(sent),
      onAskedWithoutCall: () => {
        this.turns = "always";
        ports.onAskedWithoutCall?.();
      },
    }));
  }

  get #tasks(): LegacyTasks {
    const { server, clock, ports } = this.#options;
    const send = (op: Op, ctx: CallContext) => this.#sendOrWait(op, ctx);
    return (this.#madeTasks ??= new LegacyTasks({ server, clock, ports, send }));
  }

  get #roots(): RootsExchange {
    const { peer, clock } = this.#options;
    const headers = this.#headers;
    const ping = (timeoutMs: number) => peer.request("ping", () => ({}), { headers, timeoutMs }).response;
    return (this.#madeRoots ??= new RootsExchange({ clock, ping }));
  }

  get #visits(): UrlVisits {
    return (this.#madeVisits ??= new UrlVisits());
  }

  get #renewal(): SessionRenewal {
    const { ports: features, ...options } = this.#options;
    const onRenewed = (serverInfo: ServerInfo) => this.#onRenewed(serverInfo);
    return (this.#madeRenewal ??= new SessionRenewal({ ...options, features, headers: this.#headers, onRenewed }));
  }

  /** The number of the current session. Each renewal counts it up. */
  get #generation(): number {
    return this.#madeRenewal?.generation ?? 0;
  }
}

/** Callers take turns only where a question can come without its call's stream. */
function initialTurns({ transport }: Peer, { hasAskedWithoutCall }: SessionPorts): CallerTurns {
  if (hasAskedWithoutCall?.()) return "always";
  return transport.multiplexed ? "first" : "never";
}

function firstListMethod({ tools, resources, prompts }: ServerCapabilities): string | undefined {
  if (tools) return "tools/list";
  if (resources) return "resources/list";
  return prompts ? "prompts/list" : undefined;
}

function needsMoreVerboseLevel(wanted: LogLevel | undefined, current: LogLevel | undefined): wanted is LogLevel {
  return wanted !== undefined && (current === undefined || isMoreVerbose(wanted, current));
}

function wireParams(op: Op, progressToken: number, { trace, meta }: CallContext): JsonObject {
  const _meta = trace || meta ? { ...meta, ...trace, progressToken } : { progressToken };
  // Lists the fields instead of copying the object, because this is faster and runs for every call.
  if (op.method === "tools/call") {
    const { name, arguments: args, task } = op.params;
    if (!task) return { name, arguments: args, _meta };
    return { name, arguments: args, task: task.ttlMs === undefined ? {} : { ttl: task.ttlMs }, _meta };
  }
  if (!isInteractive(op)) {
    const params = op.method === "extension" ? op.params.params : { ...op.params };
    return meta ? { ...params, _meta: meta } : params;
  }
  const { resumed: _, ...params } = op.params;
  return { ...params, _meta };
}
