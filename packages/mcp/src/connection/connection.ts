/**
 * The supervised connection to one server. Opens a link when the first request needs it, shares it between all callers
 * and reopens it when it is lost. Also owns the server's catalog.
 */
import type {
  HostError,
  Prompt,
  Resource,
  ResourceTemplate,
  Skill,
  CancelSignal,
  Redactor,
} from "@plugboard/contracts";
import { PUSH_ERA } from "../dialect/detect-era.ts";
import { Catalog } from "../catalog/catalog.ts";
import type { CatalogSnapshot } from "../catalog/catalog-snapshot.ts";
import type { ListResult } from "../catalog/list-pages.ts";
import { NO_TOOLS } from "../catalog/tool-list.ts";
import type { ToolCatalog } from "../catalog/tool-list.ts";
import { steadyNow } from "@plugboard/contracts";
import { settlesInTime } from "../lib/settles-in-time.ts";
import type { WaitLimits } from "../lib/settles-in-time.ts";
import { findOwnGateway } from "../session/identity.ts";
import { offersSkills } from "../session/op.ts";
import type { Op } from "../session/op.ts";
import type { Outcome } from "../session/outcome.ts";
import type {
  CallContext,
  CallerTurns,
  Change,
  ChangeFilter,
  ChangeSubscription,
  Session,
} from "../session/session.ts";
import type { ServerProcess } from "../process/index.ts";
import { redactAttempt } from "./redact-outcome.ts";
import { DEFAULT_LIMITS, reconnectPolicyFor } from "./connection-limits.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import type { ConnectionOptions, ConnectionSettings } from "./connection-options.ts";
import type { ServerLink } from "./server-link.ts";
import { ServerChangeListeners } from "./server-change-listeners.ts";
import { openLink } from "./open-link.ts";
import type { OpenLinkOptions } from "./open-link.ts";
import { RequestSender } from "./request-sender.ts";
import { ServerLogListeners } from "./server-log-listeners.ts";
import type { LogListener } from "./server-log-listeners.ts";
import { ServerClock } from "./server-clock.ts";
import type { ConnectionState } from "./connection-state.ts";
import { ReconnectLoop } from "./reconnect-loop.ts";
import type { ConnectAttempt } from "./reconnect-loop.ts";

export class Connection {
  lastConnectedAt: number | undefined;

  readonly #options: ConnectionOptions;
  #settings: ConnectionSettings;
  readonly #reconnectLoop: ReconnectLoop<ServerLink>;
  readonly #requestSender: RequestSender;
  readonly #catalog: Catalog;
  #changeListeners: ServerChangeListeners | undefined;
  #logListeners: ServerLogListeners | undefined;
  readonly #stopped = new AbortController();
  #process: ServerProcess | undefined;
  /** True if the server has ever asked without naming its call. Undefined until it is read from the era store. */
  #hasAskedWithoutCall: boolean | undefined;
  /** Fails the latest attempt, or the link that it has opened. */
  #endLink: ConnectAttempt["fail"] | undefined;
  #hasChangedEra = false;

  constructor(options: ConnectionOptions, overrides: Partial<ConnectionLimits> = {}) {
    const limits = { ...DEFAULT_LIMITS, ...overrides };
    const reconnectPolicy = reconnectPolicyFor(options.target, limits);
    const { server, clock, random = Math.random, redactor } = options;
    this.#options = options;
    this.#settings = options;
    this.#catalog = new Catalog({
      server,
      clock,
      timeoutMs: () => this.#settings.requestTimeoutMs,
      store: options.catalogStore,
      request: (op, ctx) => this.request(op, ctx),
      listen: (filter, onChange) => this.#listen(filter, onChange),
      onChanged: (part) => {
        const loopError = this.#selfConnectionError();
        if (loopError) this.#endLink?.(loopError);
        options.onChanged(part);
      },
    });
    const linkOptions = this.#openLinkOptions(limits, random);
    this.#reconnectLoop = new ReconnectLoop<ServerLink>({
      server,
      clock,
      random,
      policy: reconnectPolicy,
      stableAfterMs: limits.stableAfterMs,
      open: (attempt) => {
        const open = (redacted: ConnectAttempt) => openLink(linkOptions, redacted);
        return redactor ? redactAttempt(open, attempt, redactor) : open(attempt);
      },
      close: (link) => link.close(),
      hasServed: (link) => link.hasServed,
      onChanged: (state) => this.#onStateChanged(state),
    });
    this.#requestSender = new RequestSender({
      reconnectLoop: this.#reconnectLoop,
      clock,
      random,
      pace: reconnectPolicy.pace,
      retries: () => this.#settings.retry !== "never",
      stopped: this.#stopped.signal,
    });
  }

  get state(): ConnectionState {
    return this.#reconnectLoop.state;
  }

  get session(): Session | undefined {
    return this.#reconnectLoop.link?.session;
  }

  /** Masks the secrets of the definition and the login. Undefined if there are none. */
  get redactor(): Redactor | undefined {
    return this.#options.redactor;
  }

  /** True while the server is connected for a request, or works on one. */
  get inUse(): boolean {
    return this.state.phase === "connecting" || (this.#reconnectLoop.link?.inUse ?? false);
  }

  get turns(): CallerTurns {
    return this.session?.turns ?? "never";
  }

  /** True if the catalog can be shown: the server is connected, or a request would start it, or it starts now. */
  get catalogAvailable(): boolean {
    return this.#reconnectLoop.link !== undefined || this.#dormant || (this.#unstarted && this.toolsKnown);
  }

  /** What the server said about itself, now or in an earlier run. */
  get serverInfo(): CatalogSnapshot["serverInfo"] {
    return this.session?.serverInfo ?? this.#catalog.last.serverInfo;
  }

  /** The tools that can be called now. */
  get catalog(): ToolCatalog {
    return this.catalogAvailable ? this.#catalog.lastTools : NO_TOOLS;
  }

  /** The tools that were listed last, also while they can't be called. */
  get lastCatalog(): ToolCatalog {
    return this.#catalog.lastTools;
  }

  /** True if the tools were listed, now or in an earlier run. */
  get toolsKnown(): boolean {
    return this.#catalog.lastTools !== NO_TOOLS;
  }

  /** When the tools were listed, in milliseconds since 1970, if that was in an earlier run. */
  get toolsStoredAt(): number | undefined {
    return this.toolsKnown ? this.#catalog.toolsStoredAt : undefined;
  }

  /** Returns the ids of all hosts reachable through the server. */
  get hostIds(): readonly string[] {
    return [...(this.session?.serverInfo.hostIds ?? []), ...(this.catalog.hostIds ?? [])];
  }

  get pid(): number | undefined {
    return this.#reconnectLoop.link?.pid;
  }

  /** The end of the stderr output of the server's process. */
  get stderrTail(): string {
    const tail = this.#process?.stderrTail ?? "";
    return this.#options.redactor?.text(tail) ?? tail;
  }

  /**
   * Returns the open session, and connects first if needed. Rejects if that attempt fails, though others may follow.
   */
  async ready(signal?: CancelSignal): Promise<Session> {
    return (await this.#reconnectLoop.ready({ signal })).session;
  }

  /** Connects at once, even after the reconnect loop has stopped. */
  async retry(signal?: CancelSignal): Promise<Session> {
    return (await this.#reconnectLoop.retry({ signal })).session;
  }

  /** Connects, even after a permanent failure. Servers that a request waits for may start first. */
  async start(signal?: CancelSignal): Promise<Session> {
    const { phase } = this.state;
    const options = { signal, background: true };
    const hasFailed = phase === "error" || phase === "auth_required";
    const link = hasFailed ? this.#reconnectLoop.retry(options) : this.#reconnectLoop.ready(options);
    return (await link).session;
  }

  /** Applies to the open link too. Running requests keep their timeouts. */
  updateSettings(settings: ConnectionSettings): void {
    this.#settings = settings;
    this.#reconnectLoop.link?.settingsChanged();
  }

  /** Closes the current link, which fails its pending requests, and opens a new one. */
  async reconnect(signal?: CancelSignal): Promise<Session> {
    this.#reconnectLoop.disconnect();
    return this.retry(signal);
  }

  /** Lists the catalog again, and connects first if needed. */
  async refresh(signal?: CancelSignal): Promise<void> {
    await this.ready(signal);
    await this.#catalog.refresh();
  }

  /** Resolves when the list of tools includes all changes that the server has reported so far. Never rejects. */
  updateTools(): Promise<void> {
    return this.#catalog.updateTools();
  }

  notifyRootsChanged(): void {
    this.session?.notifyRootsChanged();
  }

  /** Connects first if needed. Never rejects. Never sends a request twice if the server may have run it. */
  request(op: Op, ctx: CallContext): Promise<Outcome> {
    if (op.method === "resources/read" && !op.params.resumed) {
      return this.#catalog.readResource(op.params.uri, () => this.#requestSender.send(op, ctx));
    }
    return this.#requestSender.send(op, ctx);
  }

  /** Returns the tools, and lists them again in the background if the list has expired. */
  tools(): ToolCatalog {
    return this.#reconnectLoop.link ? this.#catalog.tools() : this.catalog;
  }

  /** Returns an empty list if the server has no resources. Does not start a server whose list is stored. */
  async resources(): Promise<ListResult<Resource>> {
    return (this.#listsFromMemory && this.#catalog.last.resources) || this.#catalog.resources();
  }

  async templates(): Promise<ListResult<ResourceTemplate>> {
    return (this.#listsFromMemory && this.#catalog.last.templates) || this.#catalog.templates();
  }

  async prompts(): Promise<ListResult<Prompt>> {
    return (this.#listsFromMemory && this.#catalog.last.prompts) || this.#catalog.prompts();
  }

  /**
   * Returns an empty list if the server does not declare skills. Does not start a server that is known to have none.
   */
  async skills(): Promise<ListResult<Skill>> {
    const { serverInfo } = this;
    return serverInfo && !offersSkills(serverInfo.capabilities) ? { items: [], dropped: [] } : this.#catalog.skills();
  }

  /** Reports changes until it is stopped. After a reconnect, reports everything that may have changed meanwhile. */
  listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription {
    return this.#listen(filter, (change) => {
      this.#catalog.handleChange(change);
      onChange(change);
    });
  }

  /** Reports log entries that belong to no call, except those of other principals. Returns a function that stops it. */
  listenLogs(listener: LogListener): () => void {
    return (this.#logListeners ??= new ServerLogListeners(this.session)).listen(listener);
  }

  /** Resolves when no call is running, at the latest when the limits are reached. */
  async whenUnused(limits: WaitLimits): Promise<void> {
    const { link } = this.#reconnectLoop;
    if (!link?.inUse) return;
    const unused = new Promise<void>((resolve) => link.onceUnused(resolve));
    await settlesInTime(unused, limits, this.#options.clock);
  }

  /** Closes the connection permanently. */
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

  /** True if the server waits for a request that starts it, or is being started. False after a failure. */
  get #dormant(): boolean {
    const { start, idleStopMs } = this.#settings;
    if (start !== "lazy" && !idleStopMs) return false;
    return !this.#stopped.signal.aborted && (this.state.phase === "idle" || this.#starting);
  }

  /** True if stored lists are shown instead of new ones. */
  get #listsFromMemory(): boolean {
    return this.#dormant || this.#starting;
  }

  /** True if the server is not connected, though its last attempt has not failed and it was not stopped for good. */
  get #unstarted(): boolean {
    return this.#starting || (this.state.phase === "idle" && !this.#stopped.signal.aborted);
  }

  /** True while the server is being started, except after a failed attempt. */
  get #starting(): boolean {
    const { state } = this;
    return state.phase === "connecting" && state.error === undefined;
  }

  /** Returns SERVER_IS_SELF if the list of tools comes from this host, directly or through others. */
  #selfConnectionError(): HostError | undefined {
    const { server, identity } = this.#options;
    const { hostIds = [] } = this.#catalog.lastTools;
    return findOwnGateway(server, identity, hostIds);
  }

  /** Returns the options for opening a link, and for the session and the transport below it. */
  #openLinkOptions(limits: ConnectionLimits, random: () => number): OpenLinkOptions {
    const { server, target, clock, processes, identity, credentials, eraStore, onOutput } = this.#options;
    const serverClock = new ServerClock(clock);
    const settings = () => this.#settings;
    return {
      server,
      settings,
      serverClock,
      eraStore,
      onlyEra: this.#options.onlyEra,
      endpoint: {
        target,
        transport: {
          server,
          processes,
          clock,
          random,
          credentials: credentials && serverClock.pausedDuring(credentials),
          maxMessageBytes: limits.maxMessageBytes,
        },
        session: {
          server,
          clock,
          serverClock,
          random,
          identity,
          silenceMs: limits.silenceMs,
          ports: {
            ...this.#options.clientCapabilities,
            onUnattributedRequest: this.#options.onUnattributedRequest,
            hasAskedWithoutCall: () => (this.#hasAskedWithoutCall ??= eraStore.hasAskedWithoutCall?.() ?? false),
            onAskedWithoutCall: () => {
              if (!this.#hasAskedWithoutCall) eraStore.rememberAskedWithoutCall?.();
              this.#hasAskedWithoutCall = true;
            },
            onLog: (entry, principal) => {
              this.#options.clientCapabilities?.onLog?.(entry, principal);
              this.#logListeners?.emit(entry, principal);
            },
            onCannotAsk: this.#options.onlyEra ? undefined : () => this.#changeToPushEra(),
            onAnyLog: onOutput && ((entry) => onOutput({ stream: "log", entry })),
          },
        },
        hints: { needsSse: false },
      },
      watch: {
        server,
        target,
        clock,
        serverClock,
        limits,
        redactor: this.#options.redactor,
        settings,
        hasSubscribers: () => this.#changeListeners?.watchesResources ?? false,
        onUnused: () => this.#reconnectLoop.disconnect(),
      },
      onProcess: (started) => {
        this.#process = started;
        if (onOutput) started.followStderr((chunk) => onOutput({ stream: "stderr", chunk }));
      },
      prepare: (session, attempt) => this.#prepare(session, attempt),
    };
  }

  /**
   * Reopens the link in the era in which the server can ask, when the running calls have ended. Tries it only once,
   * because the server may have just one era.
   */
  #changeToPushEra(): boolean {
    const { link } = this.#reconnectLoop;
    if (this.#hasChangedEra || !link) return false;
    this.#hasChangedEra = true;
    this.#options.eraStore.set(PUSH_ERA);
    // If it fails, the state of the connection says so.
    link.onceUnused(() => void this.reconnect().catch(() => {}));
    return true;
  }

  #listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription {
    this.#changeListeners ??= new ServerChangeListeners(this.session, this.lastConnectedAt !== undefined);
    return this.#changeListeners.listen(filter, onChange);
  }

  async #prepare(session: Session, { signal, fail }: ConnectAttempt): Promise<void> {
    this.#endLink = fail;
    await this.#catalog.sessionOpened(session, signal);
    const loopError = this.#selfConnectionError();
    if (loopError) throw loopError;
  }

  #onStateChanged({ phase }: ConnectionState): void {
    const { link } = this.#reconnectLoop;
    if (link) {
      this.lastConnectedAt = this.#options.clock.now();
      this.#changeListeners?.sessionOpened(link.session);
      this.#logListeners?.sessionOpened(link.session);
    } else if (phase !== "connecting") {
      this.#catalog.sessionClosed();
      this.#changeListeners?.sessionClosed();
      this.#logListeners?.sessionClosed();
    }
    this.#options.onChanged("state");
  }
}
