/**
 * The link to one server: opened when it is first wanted, shared by everybody
 * who wants it, opened again when it is lost, with the catalog of what the
 * server offers. A request goes through it, whatever becomes of the link.
 */
import type { HostError, Prompt, Resource, ResourceTemplate } from "@plugboard/contracts";
import { Catalog } from "../catalog/catalog.ts";
import type { CatalogPart, CatalogStore } from "../catalog/catalog.ts";
import type { ListResult } from "../catalog/list-pages.ts";
import { NO_TOOLS } from "../catalog/list-tools.ts";
import type { ToolCatalog } from "../catalog/list-tools.ts";
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";
import { findOwnGateway } from "../session/host-ids.ts";
import type { Identity } from "../session/identity.ts";
import type { Op } from "../session/op.ts";
import type { Outcome } from "../session/outcome.ts";
import type {
  CallContext,
  Change,
  ChangeFilter,
  ChangeSubscription,
  OnUnattributedRequest,
  Session,
  SessionPorts,
} from "../session/session.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import type { Credentials } from "../transport/http/credentials.ts";
import { redactAttempt, redactOutcome } from "./redact-outcome.ts";
import type { Redactor } from "./redact-outcome.ts";
import { DEFAULT_LIMITS, reconnectPolicyFor } from "./connection-limits.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import type { ServerLink } from "./server-link.ts";
import { ServerChangeListeners } from "./server-change-listeners.ts";
import { openLink } from "./open-link.ts";
import type { EraStore } from "./open-link.ts";
import { RequestSender } from "./request-sender.ts";
import { ServerClock } from "./server-clock.ts";
import type { ConnectionState } from "./connection-state.ts";
import { ReconnectLoop } from "./reconnect-loop.ts";
import type { ConnectAttempt } from "./reconnect-loop.ts";
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
  readonly eraStore: EraStore;
  /** How often a server is asked whether it is still there; 0 for never. Unless given, by what it is. */
  readonly healthIntervalMs?: number | undefined;
  /** `lazy`: what it offered before is shown while it is not running. */
  readonly start?: "eager" | "lazy" | undefined;
  /** After how long without use it is stopped, until the next use. Never, unless given. */
  readonly idleStopMs?: number | undefined;
  /** What the server offered when it was last seen; the connection writes down what it learns. */
  readonly catalogStore?: CatalogStore | undefined;
  /** Whether what is safe to send twice is, when it gets lost or is refused for now. */
  readonly retry?: "safe" | "never";
  readonly onUnattributedRequest: OnUnattributedRequest;
  readonly onChanged: (what: "state" | CatalogPart) => void;
  /** What the server may know and use beside: the folders, the model; and where its log goes. */
  readonly clientCapabilities?: Pick<SessionPorts, "roots" | "sampling" | "onLog">;
  /** Takes the secrets of the target out of what is told of it. */
  readonly redactor?: Redactor | undefined;
}

export class Connection {
  lastConnectedAt: number | undefined;

  readonly #options: ConnectionOptions;
  readonly #reconnectLoop: ReconnectLoop<ServerLink>;
  readonly #requestSender: RequestSender;
  readonly #catalog: Catalog;
  readonly #changeListeners = new ServerChangeListeners();
  readonly #stopped = new AbortController();
  #process: ServerProcess | undefined;
  /** Ends the latest attempt, or the link that it opened. */
  #endLink: ConnectAttempt["fail"] | undefined;

  constructor(options: ConnectionOptions, overrides: Partial<ConnectionLimits> = {}) {
    const limits = { ...DEFAULT_LIMITS, ...overrides };
    const reconnectPolicy = reconnectPolicyFor(options.target, limits);
    const {
      server,
      clock,
      random = Math.random,
      requestTimeoutMs,
      onUnattributedRequest,
      clientCapabilities,
      redactor,
    } = options;
    this.#options = options;
    this.#catalog = new Catalog({
      server,
      clock,
      timeoutMs: requestTimeoutMs,
      store: options.catalogStore,
      request: (op, ctx) => this.request(op, ctx),
      listen: (filter, onChange) => this.#changeListeners.listen(filter, onChange),
      onChanged: (what) => {
        const self = this.#selfConnectionError();
        if (self) this.#endLink?.(self);
        options.onChanged(what);
      },
    });
    const serverClock = new ServerClock(clock);
    const linkOptions = {
      ...options,
      credentials: options.credentials && serverClock.pausedDuring(options.credentials),
      serverClock,
      random,
      limits,
      transportHints: { speaksSse: false },
      ports: { ...clientCapabilities, onUnattributedRequest },
      onProcess: (started: ServerProcess) => void (this.#process = started),
      onUnused: () => this.#reconnectLoop.disconnect(),
      prepare: async (session: Session, { signal, fail }: ConnectAttempt) => {
        this.#endLink = fail;
        await this.#catalog.sessionOpened(session, signal);
        const self = this.#selfConnectionError();
        if (self) throw self;
      },
    };
    this.#reconnectLoop = new ReconnectLoop<ServerLink>({
      server,
      clock,
      random,
      policy: reconnectPolicy,
      stableAfterMs: limits.stableAfterMs,
      open: (attempt) => {
        const open = (watched: ConnectAttempt) => openLink(linkOptions, watched);
        return redactor ? redactAttempt(open, attempt, redactor) : open(attempt);
      },
      close: (opened) => opened.close(),
      onChanged: (state) => this.#onStateChanged(state),
    });
    this.#requestSender = new RequestSender({
      reconnectLoop: this.#reconnectLoop,
      clock,
      random,
      pace: reconnectPolicy.pace,
      retries: options.retry !== "never",
      stopped: this.#stopped.signal,
    });
  }

  get state(): ConnectionState {
    return this.#reconnectLoop.state;
  }

  get session(): Session | undefined {
    return this.#reconnectLoop.link?.session;
  }

  /** Whether calls of different callers must not overlap. */
  get oneCallerAtATime(): boolean {
    return this.session?.oneCallerAtATime ?? false;
  }

  /** Whether what the server offers can be shown: it is there, or it would be if it were wanted. */
  get catalogAvailable(): boolean {
    return this.#reconnectLoop.link !== undefined || this.#dormant;
  }

  /** What tools can be had of the server now. */
  get catalog(): ToolCatalog {
    return this.catalogAvailable ? this.#catalog.lastTools : NO_TOOLS;
  }

  /** Whether it is known what the server offers, be it from before. */
  get toolsKnown(): boolean {
    return this.#catalog.lastTools !== NO_TOOLS;
  }

  /** Returns the ids of all hosts reachable through the server. */
  get instances(): readonly string[] {
    return [...(this.session?.serverInfo.instances ?? []), ...(this.catalog.instances ?? [])];
  }

  get pid(): number | undefined {
    return this.#reconnectLoop.link?.pid;
  }

  /** The last that a server's process wrote to stderr. */
  get stderrTail(): string {
    const tail = this.#process?.stderrTail ?? "";
    return this.#options.redactor?.text(tail) ?? tail;
  }

  /** The session, opening it if need be. Rejects with what the attempt it waited for ended with; others may follow. */
  async ready(signal?: AbortSignal): Promise<Session> {
    return (await this.#reconnectLoop.ready(signal)).session;
  }

  /** Tries again at once, also what was given up. */
  async retry(signal?: AbortSignal): Promise<Session> {
    return (await this.#reconnectLoop.retry(signal)).session;
  }

  /** Ends the link that there is, and with it what is under way, and opens another. */
  async reconnect(signal?: AbortSignal): Promise<Session> {
    this.#reconnectLoop.disconnect();
    return this.retry(signal);
  }

  /** Asks the server again what it offers, opening the connection if need be. */
  async refresh(signal?: AbortSignal): Promise<void> {
    await this.ready(signal);
    await this.#catalog.refresh();
  }

  /** What was lent as roots is not what it was. */
  notifyRootsChanged(): void {
    this.session?.notifyRootsChanged();
  }

  /** Opens the connection if need be. Never rejects; what may have run is never sent twice. */
  request(op: Op, ctx: CallContext): Promise<Outcome> {
    const { redactor } = this.#options;
    const outcome = this.#request(op, ctx);
    return redactor ? outcome.then((ended) => redactOutcome(ended, redactor)) : outcome;
  }

  #request(op: Op, ctx: CallContext): Promise<Outcome> {
    if (op.method === "resources/read" && !op.params.resumed) {
      return this.#catalog.readResource(op.params.uri, () => this.#requestSender.send(op, ctx));
    }
    return this.#requestSender.send(op, ctx);
  }

  /** Its tools for somebody who wants to use them: a list that has grown too old is listed again meanwhile. */
  tools(): ToolCatalog {
    return this.#reconnectLoop.link ? this.#catalog.tools() : this.catalog;
  }

  /** Nothing if it has none. Starts no server whose list is known. */
  async resources(): Promise<ListResult<Resource>> {
    return (this.#dormant && this.#catalog.last.resources) || this.#catalog.resources();
  }

  async templates(): Promise<ListResult<ResourceTemplate>> {
    return (this.#dormant && this.#catalog.last.templates) || this.#catalog.templates();
  }

  async prompts(): Promise<ListResult<Prompt>> {
    return (this.#dormant && this.#catalog.last.prompts) || this.#catalog.prompts();
  }

  /** Tells of changes until it is stopped, also after the server was lost: then of all that may have been missed. */
  listen(want: ChangeFilter, on: (change: Change) => void): ChangeSubscription {
    return this.#changeListeners.listen(want, (change) => {
      this.#catalog.handleChange(change);
      on(change);
    });
  }

  /** For good: whoever wants the server again makes a new connection. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#reconnectLoop.stop();
  }

  /** Returns the wall-clock time of the next connection attempt. */
  get retryAt(): number | undefined {
    const { state } = this;
    if (state.phase !== "waiting") return undefined;
    const { clock } = this.#options;
    return Math.round(clock.now() + state.retryAt - steadyNow(clock));
  }

  /** Not running because nobody wants it, or on its way from there: nothing has gone wrong with it. */
  get #dormant(): boolean {
    const { start, idleStopMs } = this.#options;
    if (this.#stopped.signal.aborted || (start !== "lazy" && idleStopMs === undefined)) return false;
    const { state } = this;
    return state.phase === "idle" || (state.phase === "connecting" && state.error === undefined);
  }

  /** Returns SERVER_IS_SELF if the list of tools comes from this host, directly or through others. */
  #selfConnectionError(): HostError | undefined {
    const { server, identity } = this.#options;
    const { instances = [] } = this.#catalog.lastTools;
    return findOwnGateway(server, identity, instances);
  }

  #onStateChanged({ phase }: ConnectionState): void {
    const { link } = this.#reconnectLoop;
    if (link) {
      this.lastConnectedAt = this.#options.clock.now();
      this.#changeListeners.sessionOpened(link.session);
    } else if (phase !== "connecting") {
      this.#catalog.sessionClosed();
      this.#changeListeners.sessionClosed();
    }
    this.#options.onChanged("state");
  }
}
