/**
 * The client side of the legacy revisions (2024-11-05 to 2025-11-25) after the
 * handshake. If an HTTP server forgets the session, a new one is opened here, once
 * for all that wait, and what was refused because of it is sent again.
 */
import { cancelled, HostError, isPeerError } from "@plugboard/contracts";
import type { JsonObject, LogLevel, PeerError, Tool } from "@plugboard/contracts";
import type { Clock } from "../../lib/clock.ts";
import type { OutgoingRequest } from "../../wire/outgoing-request.ts";
import type { NotificationMessage, RequestId } from "../../wire/message.ts";
import type { Peer } from "../../wire/peer.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { matchesFilter, parseChange } from "../../session/change-notification.ts";
import { failedOutcome, peerErrorOutcome } from "../../session/failed-outcome.ts";
import type { Identity } from "../../session/identity.ts";
import { unsupportedMethodError } from "../../session/method-support.ts";
import { isInteractive } from "../../session/op.ts";
import type { Op } from "../../session/op.ts";
import type { Outcome } from "../../session/outcome.ts";
import { isMoreVerbose, parseLogEntry } from "../../session/parse-log-entry.ts";
import type {
  CallContext,
  Change,
  ChangeFilter,
  ChangeSubscription,
  ServerCapabilities,
  ServerInfo,
  Session,
  SessionPorts,
} from "../../session/session.ts";
import { LegacyCall } from "./legacy-call.ts";
import type { CallSession } from "./legacy-call.ts";
import { CallsInFlight } from "./calls-in-flight.ts";
import { finishHandshake, initializeParams, parseHandshake } from "./handshake.ts";
import { AskRouter } from "./ask-router.ts";
import { UrlVisits, urlElicitationOutcome } from "./url-elicitation.ts";
import { settlesInTime } from "./settles-in-time.ts";
import { ResourceSubscriptions } from "./resource-subscriptions.ts";

export interface LegacyClientOptions {
  readonly server: string;
  readonly peer: Peer;
  readonly clock: Clock;
  readonly identity: Identity;
  readonly version: string;
  readonly serverInfo: ServerInfo;
  readonly ports: SessionPorts;
}

/** How long a server may take for what is no call of anybody's: its new session, its log level, what it watches. */
const BACKGROUND_TIMEOUT_MS = 30_000;
/** How often one call may be refused for pages to be visited first. */
const MAX_ROUNDS = 10;

/** What a call has been through. */
interface CallAttempt {
  readonly round: number;
  /** Whether it is sent again in a new session. */
  readonly renewed: boolean;
}

const FIRST_ATTEMPT: CallAttempt = { round: 0, renewed: false };

export class LegacyClient implements Session {
  readonly era = "legacy";
  readonly version: string;
  serverInfo: ServerInfo;

  readonly #options: LegacyClientOptions;
  readonly #peer: Peer;
  readonly #headers: WireHeaders;
  readonly #calls: CallsInFlight;
  readonly #asks: AskRouter;
  readonly #subscriptions: ResourceSubscriptions;
  readonly #urlVisits: UrlVisits;
  readonly #listeners = new Map<(change: Change) => void, ChangeFilter>();
  #logLevel: LogLevel | undefined;
  /** Which session of the server this is, counted; and the opening of the next one, while it goes on. */
  #generation = 0;
  #renewal: Promise<void> | undefined;
  #sharedCallSession: { readonly generation: number; readonly home: CallSession } | undefined;

  constructor(options: LegacyClientOptions) {
    const { peer, clock, ports, version } = options;
    this.#options = options;
    this.#peer = peer;
    this.version = version;
    this.serverInfo = options.serverInfo;
    this.#headers = { "mcp-protocol-version": version };
    this.#calls = new CallsInFlight(clock);
    this.#asks = new AskRouter({ peer, ports, headers: this.#headers, calls: this.#calls });
    this.#subscriptions = new ResourceSubscriptions((method, uri) => void this.#requestInBackground(method, { uri }));
    this.#urlVisits = new UrlVisits(clock);
    peer.revision = version;
    peer.setEventHandlers({
      request: (message, via) => this.#asks.onRequest(message, via),
      notification: (message, via) => this.#onNotification(message, via),
      lateResponse: (id) => this.#calls.onLateResponse(id),
      closed: (error) => this.#onClosed(error),
    });
  }

  get oneCallerAtATime(): boolean {
    return this.#asks.sawUnattributed;
  }

  get ignoredMessages(): number {
    return this.#peer.ignoredMessages;
  }

  get mayBeBusy(): boolean {
    return this.#peer.mayBeBusy;
  }

  request(op: Op, ctx: CallContext): Promise<Outcome> {
    const absent = unsupportedMethodError(this.#options.server, this.serverInfo, op);
    if (absent) return Promise.resolve(failedOutcome(absent));
    const unready = this.#renewal !== undefined || needsMoreVerbose(ctx.logLevel, this.#logLevel);
    return unready ? this.#sendWhenReady(op, ctx) : this.#send(op, ctx);
  }

  listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription {
    const uris = this.serverInfo.capabilities.subscribe ? (filter.uris ?? []) : [];
    this.#listeners.set(onChange, filter);
    for (const uri of uris) this.#subscriptions.subscribe(uri);
    return {
      stop: () => {
        if (!this.#listeners.delete(onChange)) return;
        for (const uri of uris) this.#subscriptions.unsubscribe(uri);
      },
    };
  }

  /** Tasks of this era are others than those we know. */
  unusableReason({ taskOnly }: Tool): string | undefined {
    return taskOnly ? "it runs only as a task of the revision 2025-11-25" : undefined;
  }

  notifyRootsChanged(): void {
    const { ports } = this.#options;
    // If it can't be delivered the peer has counted it; a server that wants the roots asks for them.
    if (ports.roots) this.#peer.notify("notifications/roots/list_changed", undefined, this.#headers).catch(() => {});
  }

  async ping(signal: AbortSignal, secondTry = false): Promise<void> {
    const generation = this.#generation;
    // Some servers ignore methods that they don't use, such as ping.
    const method = (secondTry && firstListMethod(this.serverInfo.capabilities)) || "ping";
    try {
      await this.#peer.request(method, () => ({}), { signal, headers: this.#headers }).response;
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "SESSION_LOST") throw error;
      await this.#renew(generation);
    }
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  async #sendWhenReady(op: Op, ctx: CallContext): Promise<Outcome> {
    const { clock } = this.#options;
    if (this.#renewal && !(await settlesInTime(this.#renewal, ctx, clock))) return this.#notSentOutcome(ctx);
    if (needsMoreVerbose(ctx.logLevel, this.#logLevel))
      await settlesInTime(this.#setLogLevel(ctx.logLevel), ctx, clock);
    return this.#send(op, ctx);
  }

  /** There was no session to send it in for as long as it was wanted. */
  #notSentOutcome({ signal, onSettled }: CallContext): Outcome {
    onSettled?.();
    const { server } = this.#options;
    if (signal?.aborted) return failedOutcome(cancelled());
    return failedOutcome(new HostError("SESSION_LOST", { server }));
  }

  #send(op: Op, ctx: CallContext, attempt: CallAttempt = FIRST_ATTEMPT): Promise<Outcome> {
    const { signal, timeoutMs, maxMs, onProgress } = ctx;
    const request = this.#peer.request(op.method, (id) => wireParams(op, id, ctx), {
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
    return call.next();
  }

  async #awaitResponse(op: Op, ctx: CallContext, request: OutgoingRequest, attempt: CallAttempt): Promise<Outcome> {
    const generation = this.#generation;
    try {
      const response = await request.response;
      return response.ok
        ? { type: "complete", result: response.result }
        : peerErrorOutcome(this.#options.server, op, response.error);
    } catch (error) {
      return this.#resendIfSessionLost(op, ctx, error as HostError, attempt, generation) ?? failedOutcome(error);
    }
  }

  /** What a call needs of this session; most calls are first attempts in the present one, and share it. */
  #callSession(attempt: CallAttempt): CallSession {
    const generation = this.#generation;
    if (attempt === FIRST_ATTEMPT && this.#sharedCallSession?.generation === generation)
      return this.#sharedCallSession.home;
    const session: CallSession = {
      server: this.#options.server,
      onEnded: (call, answered) => this.#calls.onEnded(call, answered),
      answer: (question, answer) => this.#asks.answer(question, answer),
      onPeerError: ({ op, ctx }, error) =>
        this.#askToVisitUrls(op, ctx, error, attempt) ?? this.#peerErrorOutcome(op, error),
      resend: ({ op, ctx }, error) => this.#resendIfSessionLost(op, ctx, error, attempt, generation),
    };
    if (attempt === FIRST_ATTEMPT) this.#sharedCallSession = { generation, home: session };
    return session;
  }

  #peerErrorOutcome(op: Op, error: PeerError): Outcome {
    return peerErrorOutcome(this.#options.server, op, error);
  }

  /** What was refused for want of a session never ran, and is sent again in a new one; but once. */
  #resendIfSessionLost(
    op: Op,
    ctx: CallContext,
    error: HostError,
    attempt: CallAttempt,
    generation: number,
  ): Promise<Outcome> | undefined {
    if (error.code !== "SESSION_LOST") return undefined;
    if (error.cause !== undefined) return this.#resendIfSessionUnknown(op, ctx, error, attempt, generation);
    return attempt.renewed ? undefined : this.#resendInNewSession(op, ctx, attempt, generation);
  }

  /** It may have been meant as an answer, and then the call has run: not before the session is known to be lost is it sent again. */
  async #resendIfSessionUnknown(
    op: Op,
    ctx: CallContext,
    { cause }: HostError,
    attempt: CallAttempt,
    generation: number,
  ): Promise<Outcome> {
    const checked = attempt.renewed || this.#renewal !== undefined || generation !== this.#generation;
    const sessionKnown = checked ? attempt.renewed : await this.#isSessionKnown(ctx);
    if (!sessionKnown) return this.#resendInNewSession(op, ctx, attempt, generation);
    ctx.onSettled?.();
    return isPeerError(cause) ? this.#peerErrorOutcome(op, cause) : failedOutcome(cause);
  }

  /** Whatever keeps us from finding out is no reason to take it for lost. */
  async #isSessionKnown({ signal, timeoutMs, maxMs }: CallContext): Promise<boolean> {
    const options = { signal, timeoutMs: Math.min(timeoutMs, maxMs), headers: this.#headers };
    try {
      await this.#peer.request("ping", () => ({}), options).response;
      return true;
    } catch (error) {
      return !(error instanceof HostError) || error.code !== "SESSION_LOST";
    }
  }

  async #resendInNewSession(op: Op, ctx: CallContext, attempt: CallAttempt, generation: number): Promise<Outcome> {
    const renewal = this.#renew(generation);
    if (!(await settlesInTime(renewal, ctx, this.#options.clock))) return this.#notSentOutcome(ctx);
    try {
      await renewal;
    } catch (error) {
      ctx.onSettled?.();
      return failedOutcome(error);
    }
    return this.#send(op, ctx, { ...attempt, renewed: true });
  }

  /** One new session for everybody who lost that generation of it. */
  #renew(generation: number): Promise<void> {
    if (generation !== this.#generation) return Promise.resolve();
    this.#renewal ??= this.#openNewSession().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  /** If it fails, the lost session is gone back to: whoever is refused for it the next time tries once more. */
  async #openNewSession(): Promise<void> {
    const restoreSession = this.#peer.transport.beginNewSession?.();
    try {
      await this.#handshake();
    } catch (error) {
      restoreSession?.();
      throw error;
    }
    this.#generation += 1;
    if (this.#logLevel !== undefined) void this.#requestInBackground("logging/setLevel", { level: this.#logLevel });
    this.#subscriptions.resubscribe();
    // What it offers may be another thing now.
    for (const type of ["tools", "resources", "prompts"] as const) this.#emitChange({ type });
  }

  async #handshake(): Promise<void> {
    const { server, identity, ports } = this.#options;
    const response = await this.#peer.request("initialize", () => initializeParams(identity, ports), {
      timeoutMs: BACKGROUND_TIMEOUT_MS,
    }).response;
    const handshake = response.ok ? parseHandshake(response.result) : undefined;
    if (!handshake || "offered" in handshake || handshake.version !== this.version) {
      throw new HostError("SESSION_LOST", { server });
    }
    this.serverInfo = handshake.serverInfo;
    await finishHandshake(this.#peer, this.version);
  }

  /** The most verbose of all callers wins; each is told only what it asked for. */
  async #setLogLevel(level: LogLevel): Promise<void> {
    if (!this.serverInfo.capabilities.logging) return;
    this.#logLevel = level;
    await this.#requestInBackground("logging/setLevel", { level });
  }

  /** Something that is nobody's call: a server that can't do it goes on without. */
  async #requestInBackground(method: string, params: JsonObject): Promise<void> {
    const options = { headers: this.#headers, timeoutMs: BACKGROUND_TIMEOUT_MS };
    await this.#peer.request(method, () => params, options).response.catch(ignoreError);
  }

  #askToVisitUrls(op: Op, ctx: CallContext, error: PeerError, { round }: CallAttempt): Outcome | undefined {
    if (round >= MAX_ROUNDS) return undefined;
    return urlElicitationOutcome(error, {
      visits: this.#urlVisits,
      timeoutMs: ctx.timeoutMs,
      fail: () => this.#peerErrorOutcome(op, error),
      retry: (signal) => this.#send(op, { ...ctx, signal }, { round: round + 1, renewed: false }),
    });
  }

  #onNotification({ method, params }: NotificationMessage, relatedRequestId: RequestId | undefined): void {
    const change = parseChange(method, params);
    if (change) return this.#emitChange(change);
    if (method === "notifications/message") return this.#onLog(params, relatedRequestId);
    if (method === "notifications/elicitation/complete") return this.#urlVisits.complete(params?.["elicitationId"]);
    if (method !== "notifications/cancelled") return;
    const id = params?.["requestId"];
    if (typeof id === "string" || typeof id === "number") this.#asks.onCancelled(id, relatedRequestId);
  }

  #emitChange(change: Change): void {
    for (const [on, want] of this.#listeners) if (matchesFilter(change, want)) on(change);
  }

  #onLog(params: JsonObject | undefined, relatedRequestId: RequestId | undefined): void {
    const entry = parseLogEntry(params);
    if (!entry) return;
    const call = relatedRequestId === undefined ? this.#calls.onlyCall : this.#calls.get(relatedRequestId);
    if (call) call.log(entry);
    else this.#options.ports.onLog?.(entry);
  }

  #onClosed(error: HostError): void {
    this.#asks.onClosed();
    this.#calls.clear();
    this.#options.ports.onClosed(error);
  }
}

function firstListMethod({ tools, resources, prompts }: ServerCapabilities): string | undefined {
  if (tools) return "tools/list";
  if (resources) return "resources/list";
  return prompts ? "prompts/list" : undefined;
}

/** Whoever failed says so; here it was only waited for. */
function ignoreError(): void {}

function needsMoreVerbose(wanted: LogLevel | undefined, level: LogLevel | undefined): wanted is LogLevel {
  return wanted !== undefined && (level === undefined || isMoreVerbose(wanted, level));
}

function wireParams(op: Op, progressToken: number, { trace }: CallContext): JsonObject {
  const _meta = trace ? { ...trace, progressToken } : { progressToken };
  // Spelled out, because it runs for every call.
  if (op.method === "tools/call") return { name: op.params.name, arguments: op.params.arguments, _meta };
  if (!isInteractive(op)) return { ...op.params };
  const { resumed: _, ...params } = op.params;
  return { ...params, _meta };
}
