/**
 * The client side of the legacy revisions (2024-11-05 to 2025-11-25) after the
 * handshake. If an HTTP server forgets the session, a new one is opened here, once
 * for all that wait, and what was refused because of it is sent again.
 */
import { HostError, isPeerError } from "@plugboard/contracts";
import type { JsonObject, LogLevel, PeerError, Tool } from "@plugboard/contracts";
import type { Clock } from "../../clock.ts";
import type { Exchange } from "../../wire/exchange.ts";
import type { NotificationMessage, RequestId } from "../../wire/message.ts";
import type { Peer } from "../../wire/peer.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { isWanted, readChange } from "../change.ts";
import { failed, refused } from "../failure.ts";
import type { Identity } from "../identity.ts";
import { notOffered } from "../not-offered.ts";
import { mayAsk } from "../op.ts";
import type { Op } from "../op.ts";
import type { Outcome } from "../outcome.ts";
import { isMoreVerbose, readLog } from "../read-log.ts";
import type { CallContext, Change, Filter, Listening, Offers, ServerFacts, Session, SessionPorts } from "../session.ts";
import { LegacyCall } from "./call.ts";
import type { CallHome } from "./call.ts";
import { CallsInFlight } from "./calls-in-flight.ts";
import { finishHandshake, initializeParams, readHandshake } from "./handshake.ts";
import { Questions } from "./questions.ts";
import { UrlsVisited, urlsRequired } from "./url-required.ts";
import { waitFor } from "./wait-for.ts";
import { WatchedResources } from "./watched-resources.ts";

export interface LegacyOptions {
  readonly server: string;
  readonly peer: Peer;
  readonly clock: Clock;
  readonly identity: Identity;
  readonly version: string;
  readonly facts: ServerFacts;
  readonly ports: SessionPorts;
}

/** How long a server may take for what is no call of anybody's: its new session, its log level, what it watches. */
const HOUSEKEEPING_MS = 30_000;
/** How often one call may be refused for pages to be visited first. */
const MAX_ROUNDS = 10;

/** What a call has been through. */
interface Attempt {
  readonly round: number;
  /** Whether it is sent again in a new session. */
  readonly renewed: boolean;
}

const FIRST: Attempt = { round: 0, renewed: false };

export class LegacyClient implements Session {
  readonly era = "legacy";
  readonly version: string;
  facts: ServerFacts;

  readonly #options: LegacyOptions;
  readonly #peer: Peer;
  readonly #headers: WireHeaders;
  readonly #calls: CallsInFlight;
  readonly #questions: Questions;
  readonly #watched: WatchedResources;
  readonly #visited: UrlsVisited;
  readonly #listeners = new Map<(change: Change) => void, Filter>();
  #logLevel: LogLevel | undefined;
  /** Which session of the server this is, counted; and the opening of the next one, while it goes on. */
  #generation = 0;
  #renewal: Promise<void> | undefined;
  #firstHome: { readonly generation: number; readonly home: CallHome } | undefined;

  constructor(options: LegacyOptions) {
    const { peer, clock, ports, version } = options;
    this.#options = options;
    this.#peer = peer;
    this.version = version;
    this.facts = options.facts;
    this.#headers = { "mcp-protocol-version": version };
    this.#calls = new CallsInFlight(clock);
    this.#questions = new Questions({ peer, ports, headers: this.#headers, calls: this.#calls });
    this.#watched = new WatchedResources((method, uri) => void this.#keepHouse(method, { uri }));
    this.#visited = new UrlsVisited(clock);
    peer.revision = version;
    peer.listen({
      request: (message, via) => this.#questions.asked(message, via),
      notification: (message, via) => this.#told(message, via),
      late: (id) => this.#calls.late(id),
      closed: (error) => this.#closed(error),
    });
  }

  get needsTurns(): boolean {
    return this.#questions.unnamed;
  }

  get passedOver(): number {
    return this.#peer.passedOver;
  }

  get unfinished(): boolean {
    return this.#peer.unfinished;
  }

  request(op: Op, ctx: CallContext): Promise<Outcome> {
    const absent = notOffered(this.#options.server, this.facts, op);
    if (absent) return Promise.resolve(failed(absent));
    const unready = this.#renewal !== undefined || wantsMore(ctx.logLevel, this.#logLevel);
    return unready ? this.#prepared(op, ctx) : this.#send(op, ctx);
  }

  listen(want: Filter, on: (change: Change) => void): Listening {
    const uris = this.facts.offers.subscribe ? (want.uris ?? []) : [];
    this.#listeners.set(on, want);
    for (const uri of uris) this.#watched.watch(uri);
    return {
      stop: () => {
        if (!this.#listeners.delete(on)) return;
        for (const uri of uris) this.#watched.unwatch(uri);
      },
    };
  }

  /** Tasks of this era are others than those we know. */
  refuses({ taskOnly }: Tool): string | undefined {
    return taskOnly ? "it runs only as a task of the revision 2025-11-25" : undefined;
  }

  rootsChanged(): void {
    const { ports } = this.#options;
    // If it can't be delivered the peer has counted it; a server that wants the roots asks for them.
    if (ports.roots) this.#peer.notify("notifications/roots/list_changed", undefined, this.#headers).catch(() => {});
  }

  async alive(signal: AbortSignal, again = false): Promise<void> {
    const generation = this.#generation;
    // Some servers ignore methods that they don't use, such as ping.
    const method = (again && listOf(this.facts.offers)) || "ping";
    try {
      await this.#peer.request(method, () => ({}), { signal, headers: this.#headers }).reply;
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "SESSION_LOST") throw error;
      await this.#renew(generation);
    }
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  async #prepared(op: Op, ctx: CallContext): Promise<Outcome> {
    const { clock } = this.#options;
    if (this.#renewal && !(await waitFor(this.#renewal, ctx, clock))) return this.#unsent(ctx);
    if (wantsMore(ctx.logLevel, this.#logLevel)) await waitFor(this.#say(ctx.logLevel), ctx, clock);
    return this.#send(op, ctx);
  }

  /** There was no session to send it in for as long as it was wanted. */
  #unsent({ signal, onSettled }: CallContext): Outcome {
    onSettled?.();
    const { server } = this.#options;
    if (signal?.aborted) return failed(new HostError("CANCELLED", { reason: "the caller gave up" }));
    return failed(new HostError("SESSION_LOST", { server }));
  }

  #send(op: Op, ctx: CallContext, before: Attempt = FIRST): Promise<Outcome> {
    const { signal, timeoutMs, maxMs, onProgress } = ctx;
    const exchange = this.#peer.request(op.method, (id) => wireParams(op, id, ctx), {
      signal,
      timeoutMs,
      maxMs,
      onProgress,
      headers: this.#headers,
      cancelNotice: true,
    });
    if (!mayAsk(op)) return this.#listed(op, ctx, exchange, before);
    const call = new LegacyCall(this.#home(before), op, ctx, exchange);
    if (!exchange.settled) this.#calls.track(call);
    exchange.tell(call);
    return call.next();
  }

  async #listed(op: Op, ctx: CallContext, exchange: Exchange, before: Attempt): Promise<Outcome> {
    const generation = this.#generation;
    try {
      const reply = await exchange.reply;
      return reply.ok ? { type: "complete", result: reply.result } : refused(this.#options.server, op, reply.error);
    } catch (error) {
      return this.#again(op, ctx, error as HostError, before, generation) ?? failed(error);
    }
  }

  /** What a call needs of this session; most calls are first attempts in the present one, and share it. */
  #home(before: Attempt): CallHome {
    const generation = this.#generation;
    if (before === FIRST && this.#firstHome?.generation === generation) return this.#firstHome.home;
    const home: CallHome = {
      server: this.#options.server,
      ended: (call, answered) => this.#calls.ended(call, answered),
      answer: (question, answer) => this.#questions.answer(question, answer),
      refused: ({ op, ctx }, error) => this.#visitFirst(op, ctx, error, before) ?? this.#refused(op, error),
      again: ({ op, ctx }, error) => this.#again(op, ctx, error, before, generation),
    };
    if (before === FIRST) this.#firstHome = { generation, home };
    return home;
  }

  #refused(op: Op, error: PeerError): Outcome {
    return refused(this.#options.server, op, error);
  }

  /** What was refused for want of a session never ran, and is sent again in a new one; but once. */
  #again(
    op: Op,
    ctx: CallContext,
    error: HostError,
    before: Attempt,
    generation: number,
  ): Promise<Outcome> | undefined {
    if (error.code !== "SESSION_LOST") return undefined;
    if (error.cause !== undefined) return this.#inDoubt(op, ctx, error, before, generation);
    return before.renewed ? undefined : this.#inNextSession(op, ctx, before, generation);
  }

  /** It may have been meant as an answer, and then the call has run: not before the session is known to be lost is it sent again. */
  async #inDoubt(
    op: Op,
    ctx: CallContext,
    { cause }: HostError,
    before: Attempt,
    generation: number,
  ): Promise<Outcome> {
    const checked = before.renewed || this.#renewal !== undefined || generation !== this.#generation;
    const known = checked ? before.renewed : await this.#knowsSession(ctx);
    if (!known) return this.#inNextSession(op, ctx, before, generation);
    ctx.onSettled?.();
    return isPeerError(cause) ? this.#refused(op, cause) : failed(cause);
  }

  /** Whatever keeps us from finding out is no reason to take it for lost. */
  async #knowsSession({ signal, timeoutMs, maxMs }: CallContext): Promise<boolean> {
    const options = { signal, timeoutMs: Math.min(timeoutMs, maxMs), headers: this.#headers };
    try {
      await this.#peer.request("ping", () => ({}), options).reply;
      return true;
    } catch (error) {
      return !(error instanceof HostError) || error.code !== "SESSION_LOST";
    }
  }

  async #inNextSession(op: Op, ctx: CallContext, before: Attempt, generation: number): Promise<Outcome> {
    const renewal = this.#renew(generation);
    if (!(await waitFor(renewal, ctx, this.#options.clock))) return this.#unsent(ctx);
    try {
      await renewal;
    } catch (why) {
      ctx.onSettled?.();
      return failed(why);
    }
    return this.#send(op, ctx, { ...before, renewed: true });
  }

  /** One new session for everybody who lost that generation of it. */
  #renew(generation: number): Promise<void> {
    if (generation !== this.#generation) return Promise.resolve();
    this.#renewal ??= this.#openAgain().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  /** If it fails, the lost session is gone back to: whoever is refused for it the next time tries once more. */
  async #openAgain(): Promise<void> {
    const goBack = this.#peer.transport.newSession?.();
    try {
      await this.#shakeHands();
    } catch (error) {
      goBack?.();
      throw error;
    }
    this.#generation += 1;
    if (this.#logLevel !== undefined) void this.#keepHouse("logging/setLevel", { level: this.#logLevel });
    this.#watched.watchAgain();
    // What it offers may be another thing now.
    for (const type of ["tools", "resources", "prompts"] as const) this.#tell({ type });
  }

  async #shakeHands(): Promise<void> {
    const { server, identity, ports } = this.#options;
    const reply = await this.#peer.request("initialize", () => initializeParams(identity, ports), {
      timeoutMs: HOUSEKEEPING_MS,
    }).reply;
    const handshake = reply.ok ? readHandshake(reply.result) : undefined;
    if (!handshake || "offered" in handshake || handshake.version !== this.version) {
      throw new HostError("SESSION_LOST", { server });
    }
    this.facts = handshake.facts;
    await finishHandshake(this.#peer, this.version);
  }

  /** The most verbose of all callers wins; each is told only what it asked for. */
  async #say(level: LogLevel): Promise<void> {
    if (!this.facts.offers.logging) return;
    this.#logLevel = level;
    await this.#keepHouse("logging/setLevel", { level });
  }

  /** Something that is nobody's call: a server that can't do it goes on without. */
  async #keepHouse(method: string, params: JsonObject): Promise<void> {
    const options = { headers: this.#headers, timeoutMs: HOUSEKEEPING_MS };
    await this.#peer.request(method, () => params, options).reply.catch(waitedFor);
  }

  #visitFirst(op: Op, ctx: CallContext, error: PeerError, { round }: Attempt): Outcome | undefined {
    if (round >= MAX_ROUNDS) return undefined;
    return urlsRequired(error, {
      visited: this.#visited,
      patienceMs: ctx.timeoutMs,
      refused: () => this.#refused(op, error),
      again: (signal) => this.#send(op, { ...ctx, signal }, { round: round + 1, renewed: false }),
    });
  }

  #told({ method, params }: NotificationMessage, via: RequestId | undefined): void {
    const change = readChange(method, params);
    if (change) return this.#tell(change);
    if (method === "notifications/message") return this.#logged(params, via);
    if (method === "notifications/elicitation/complete") return this.#visited.tell(params?.["elicitationId"]);
    if (method !== "notifications/cancelled") return;
    const id = params?.["requestId"];
    if (typeof id === "string" || typeof id === "number") this.#questions.withdrawn(id, via);
  }

  #tell(change: Change): void {
    for (const [on, want] of this.#listeners) if (isWanted(change, want)) on(change);
  }

  #logged(params: JsonObject | undefined, via: RequestId | undefined): void {
    const entry = readLog(params);
    if (!entry) return;
    const call = via === undefined ? this.#calls.only : this.#calls.get(via);
    if (call) call.log(entry);
    else this.#options.ports.onLog?.(entry);
  }

  #closed(error: HostError): void {
    this.#questions.closed();
    this.#calls.clear();
    this.#options.ports.onClosed(error);
  }
}

function listOf({ tools, resources, prompts }: Offers): string | undefined {
  if (tools) return "tools/list";
  if (resources) return "resources/list";
  return prompts ? "prompts/list" : undefined;
}

/** Whoever failed says so; here it was only waited for. */
function waitedFor(): void {}

function wantsMore(wanted: LogLevel | undefined, level: LogLevel | undefined): wanted is LogLevel {
  return wanted !== undefined && (level === undefined || isMoreVerbose(wanted, level));
}

function wireParams(op: Op, progressToken: number, { trace }: CallContext): JsonObject {
  const _meta = trace ? { ...trace, progressToken } : { progressToken };
  // Spelled out, because it runs for every call.
  if (op.method === "tools/call") return { name: op.params.name, arguments: op.params.arguments, _meta };
  if (!mayAsk(op)) return { ...op.params };
  const { resumed: _, ...params } = op.params;
  return { ...params, _meta };
}
