/**
 * The link to one server: opened when it is first wanted, shared by everybody
 * who wants it, opened again when it is lost, with the catalog of what the
 * server offers. A request goes through it, whatever becomes of the link.
 */
import type { HostError, Prompt, Resource, ResourceTemplate } from "@plugboard/contracts";
import { Catalog } from "../catalog/catalog.ts";
import type { CatalogPart, CatalogStore } from "../catalog/catalog.ts";
import type { Listed } from "../catalog/list-pages.ts";
import { NO_TOOLS } from "../catalog/list-tools.ts";
import type { ToolCatalog } from "../catalog/list-tools.ts";
import { steadyNow } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { findOwnGateway } from "../dialect/host-ids.ts";
import type { Identity } from "../dialect/identity.ts";
import type { Op } from "../dialect/op.ts";
import type { Outcome } from "../dialect/outcome.ts";
import type { CallContext, Change, Filter, Listening, OnStrayAsk, Session, SessionPorts } from "../dialect/session.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import type { Credentials } from "../transport/credentials.ts";
import { concealAttempt, concealOutcome } from "./conceal.ts";
import type { Concealer } from "./conceal.ts";
import { DEFAULT_LIMITS, patienceWith } from "./limits.ts";
import type { ConnectionLimits } from "./limits.ts";
import type { Link } from "./link.ts";
import { Listeners } from "./listeners.ts";
import { openLink } from "./open-link.ts";
import type { Eras } from "./open-link.ts";
import { Requests } from "./requests.ts";
import { ServerTime } from "./server-time.ts";
import type { ConnectionState } from "./state.ts";
import { Supervision } from "./supervision.ts";
import type { Attempt } from "./supervision.ts";
import type { Target } from "./target.ts";

export interface ConnectionOptions {
  /** How errors call it. */
  readonly server: string;
  readonly target: Target;
  /** What requests over a network are sent with, beside the headers of the target. */
  readonly credentials?: Credentials | undefined;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly random?: () => number;
  readonly identity: Identity;
  readonly startupTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** What is known of the server's era from before; the connection writes down what it learns. */
  readonly eras: Eras;
  /** How often a server is asked whether it is still there; 0 for never. Unless given, by what it is. */
  readonly healthIntervalMs?: number | undefined;
  /** `lazy`: what it offered before is shown while it is not running. */
  readonly start?: "eager" | "lazy" | undefined;
  /** After how long without use it is stopped, until the next use. Never, unless given. */
  readonly idleStopMs?: number | undefined;
  /** What the server offered when it was last seen; the connection writes down what it learns. */
  readonly catalogs?: CatalogStore | undefined;
  /** Whether what is safe to send twice is, when it gets lost or is refused for now. */
  readonly retry?: "safe" | "never";
  readonly onStrayAsk: OnStrayAsk;
  readonly onChanged: (what: "state" | CatalogPart) => void;
  /** What the server may know and use beside: the folders, the model; and where its log goes. */
  readonly lends?: Pick<SessionPorts, "roots" | "sampling" | "onLog">;
  /** Takes the secrets of the target out of what is told of it. */
  readonly conceal?: Concealer | undefined;
}

export class Connection {
  lastConnectedAt: number | undefined;

  readonly #options: ConnectionOptions;
  readonly #supervision: Supervision<Link>;
  readonly #requests: Requests;
  readonly #catalog: Catalog;
  readonly #listeners = new Listeners();
  readonly #ended = new AbortController();
  #process: ServerProcess | undefined;
  /** Ends the latest attempt, or the link that it opened. */
  #lost: Attempt["lost"] | undefined;

  constructor(options: ConnectionOptions, given: Partial<ConnectionLimits> = {}) {
    const limits = { ...DEFAULT_LIMITS, ...given };
    const patience = patienceWith(options.target, limits);
    const { server, clock, random = Math.random, requestTimeoutMs, onStrayAsk, lends, conceal } = options;
    this.#options = options;
    this.#catalog = new Catalog({
      server,
      clock,
      timeoutMs: requestTimeoutMs,
      store: options.catalogs,
      request: (op, ctx) => this.request(op, ctx),
      listen: (want, on) => this.#listeners.listen(want, on),
      onChanged: (what) => {
        const self = this.#foundSelf();
        if (self) this.#lost?.(self);
        options.onChanged(what);
      },
    });
    const serverTime = new ServerTime(clock);
    const opening = {
      ...options,
      credentials: options.credentials && serverTime.without(options.credentials),
      serverTime,
      random,
      limits,
      findings: { speaksSse: false },
      ports: { ...lends, onStrayAsk },
      onProcess: (started: ServerProcess) => void (this.#process = started),
      onUnused: () => this.#supervision.rest(),
      learn: async (session: Session, { signal, lost }: Attempt) => {
        this.#lost = lost;
        await this.#catalog.opened(session, signal);
        const self = this.#foundSelf();
        if (self) throw self;
      },
    };
    this.#supervision = new Supervision<Link>({
      server,
      clock,
      random,
      patience,
      settledMs: limits.settledMs,
      open: (attempt) => {
        const open = (watched: Attempt) => openLink(opening, watched);
        return conceal ? concealAttempt(open, attempt, conceal) : open(attempt);
      },
      close: (opened) => opened.close(),
      onChanged: (state) => this.#changed(state),
    });
    this.#requests = new Requests({
      supervision: this.#supervision,
      clock,
      random,
      pace: patience.pace,
      again: options.retry !== "never",
      ended: this.#ended.signal,
    });
  }

  get state(): ConnectionState {
    return this.#supervision.state;
  }

  get session(): Session | undefined {
    return this.#supervision.link?.session;
  }

  /** Whether calls of different callers must not overlap. */
  get needsTurns(): boolean {
    return this.session?.needsTurns ?? false;
  }

  /** Whether what the server offers can be shown: it is there, or it would be if it were wanted. */
  get offering(): boolean {
    return this.#supervision.link !== undefined || this.#asleep;
  }

  /** What tools can be had of the server now. */
  get catalog(): ToolCatalog {
    return this.offering ? this.#catalog.lastTools : NO_TOOLS;
  }

  /** Whether it is known what the server offers, be it from before. */
  get known(): boolean {
    return this.#catalog.lastTools !== NO_TOOLS;
  }

  /** Returns the ids of all hosts reachable through the server. */
  get instances(): readonly string[] {
    return [...(this.session?.facts.instances ?? []), ...(this.catalog.instances ?? [])];
  }

  get pid(): number | undefined {
    return this.#supervision.link?.pid;
  }

  /** The last that a server's process wrote to stderr. */
  get stderrTail(): string {
    const tail = this.#process?.stderrTail ?? "";
    return this.#options.conceal?.text(tail) ?? tail;
  }

  /** The session, opening it if need be. Rejects with what the attempt it waited for ended with; others may follow. */
  async ready(signal?: AbortSignal): Promise<Session> {
    return (await this.#supervision.ready(signal)).session;
  }

  /** Tries again at once, also what was given up. */
  async retry(signal?: AbortSignal): Promise<Session> {
    return (await this.#supervision.retry(signal)).session;
  }

  /** Ends the link that there is, and with it what is under way, and opens another. */
  async reconnect(signal?: AbortSignal): Promise<Session> {
    this.#supervision.rest();
    return this.retry(signal);
  }

  /** Asks the server again what it offers, opening the connection if need be. */
  async refresh(signal?: AbortSignal): Promise<void> {
    await this.ready(signal);
    await this.#catalog.refresh();
  }

  /** What was lent as roots is not what it was. */
  rootsChanged(): void {
    this.session?.rootsChanged();
  }

  /** Opens the connection if need be. Never rejects; what may have run is never sent twice. */
  request(op: Op, ctx: CallContext): Promise<Outcome> {
    const { conceal } = this.#options;
    const outcome = this.#request(op, ctx);
    return conceal ? outcome.then((ended) => concealOutcome(ended, conceal)) : outcome;
  }

  #request(op: Op, ctx: CallContext): Promise<Outcome> {
    if (op.method === "resources/read" && !op.params.resumed) {
      return this.#catalog.read(op.params.uri, () => this.#requests.send(op, ctx));
    }
    return this.#requests.send(op, ctx);
  }

  /** Its tools for somebody who wants to use them: a list that has grown too old is listed again meanwhile. */
  tools(): ToolCatalog {
    return this.#supervision.link ? this.#catalog.tools() : this.catalog;
  }

  /** Nothing if it has none. Starts no server whose list is known. */
  async resources(): Promise<Listed<Resource>> {
    return (this.#asleep && this.#catalog.last.resources) || this.#catalog.resources();
  }

  async templates(): Promise<Listed<ResourceTemplate>> {
    return (this.#asleep && this.#catalog.last.templates) || this.#catalog.templates();
  }

  async prompts(): Promise<Listed<Prompt>> {
    return (this.#asleep && this.#catalog.last.prompts) || this.#catalog.prompts();
  }

  /** Tells of changes until it is stopped, also after the server was lost: then of all that may have been missed. */
  listen(want: Filter, on: (change: Change) => void): Listening {
    return this.#listeners.listen(want, (change) => {
      this.#catalog.heard(change);
      on(change);
    });
  }

  /** For good: whoever wants the server again makes a new connection. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#supervision.stop();
  }

  /** Returns the wall-clock time of the next connection attempt. */
  get retryAt(): number | undefined {
    const { state } = this;
    if (state.phase !== "waiting") return undefined;
    const { clock } = this.#options;
    return Math.round(clock.now() + state.retryAt - steadyNow(clock));
  }

  /** Not running because nobody wants it, or on its way from there: nothing has gone wrong with it. */
  get #asleep(): boolean {
    const { start, idleStopMs } = this.#options;
    if (this.#ended.signal.aborted || (start !== "lazy" && idleStopMs === undefined)) return false;
    const { state } = this;
    return state.phase === "idle" || (state.phase === "connecting" && state.error === undefined);
  }

  /** Returns SERVER_IS_SELF if the list of tools comes from this host, directly or through others. */
  #foundSelf(): HostError | undefined {
    const { server, identity } = this.#options;
    const { instances = [] } = this.#catalog.lastTools;
    return findOwnGateway(server, identity, instances);
  }

  #changed({ phase }: ConnectionState): void {
    const { link } = this.#supervision;
    if (link) {
      this.lastConnectedAt = this.#options.clock.now();
      this.#listeners.opened(link.session);
    } else if (phase !== "connecting") {
      this.#catalog.closed();
      this.#listeners.closed();
    }
    this.#options.onChanged("state");
  }
}
