/** The composition root of the host: creates its parts, connects them and closes everything. */
import { randomUUID } from "node:crypto";
import { answersForWorkspace, HostError, requireRight, toHostError, systemClock } from "@plugboard/contracts";
import type {
  Caller,
  CallerKind,
  CallerOptions,
  Env,
  HostApi,
  Metrics,
  QuestionOwner,
  ToolRef,
  ToolResult,
  Workspace,
  WorkspaceSpec,
} from "@plugboard/contracts";
import type { HostIds } from "@plugboard/mcp";
import type { EventLog } from "../activity/event-log.ts";
import { FailedCalls } from "../activity/failed-calls.ts";
import { HostMetrics } from "../activity/metrics.ts";
import { Telemetry } from "../activity/telemetry.ts";
import { CallTracker } from "../calls/call-tracker.ts";
import type { CallPorts } from "../calls/run-call.ts";
import { ServerRequests } from "../calls/server-requests.ts";
import type { ServerRequestsOptions } from "../calls/server-requests.ts";
import { Sampling } from "../calls/sampling.ts";
import type { ModelPort } from "../calls/sampling.ts";
import { toModelContent } from "../calls/output/to-model-content.ts";
import type { ModelContent } from "../calls/output/to-model-content.ts";
import { SchemaChecks } from "../calls/schemas/schema-checks.ts";
import { CallerQueue } from "../calls/caller-queue.ts";
import { handleUnattributedRequests } from "../calls/ask-user.ts";
import type { OutputFiles } from "@plugboard/store";
import { bindHost } from "./bind-host.ts";
import { HostBase } from "./host-base.ts";
import { HostChats } from "./host-chats.ts";
import type { HostOptions } from "./host-options.ts";
import { HostState } from "./host-state.ts";
import { HostVault } from "./host-vault.ts";
import { HostWorkspaces } from "./host-workspaces.ts";
import type { OpenOptions } from "./host-workspaces.ts";
import { QuestionInbox } from "../inbox/question-inbox.ts";
import { systemKeyring } from "../auth/vault/system-keyring.ts";
import type { PrincipalLogins } from "../auth/own-login.ts";
import type { DecisionStore } from "../policy/decision-store.ts";
import { ConnectionPool } from "../pool/connection-pool.ts";
import type { ServerObjects } from "./server-objects.ts";
import { pinOf } from "../tools/pins.ts";
import { UnmetSchemas } from "../tools/unmet-schemas.ts";
import { randomId } from "../lib/random-id.ts";
import { VERSION } from "../lib/version.ts";
import { bindWorkspace } from "../workspace/bind-workspace.ts";
import type { OpenWorkspace } from "../workspace/open-workspace.ts";
import type { SecretSource } from "../workspace/secret-access.ts";

/** The store of results that are too long for their receiver. */
export type HostOutputs = Pick<OutputFiles, "save" | "read">;

export class Host {
  readonly events: EventLog;
  readonly telemetry: Telemetry;
  /** Sent to servers and clients, so that the host detects a connection to itself. */
  readonly ids: HostIds;

  readonly #options: HostOptions;
  readonly #base: HostBase;
  readonly #startedAt = systemClock.now();
  readonly #state: HostState;
  readonly #schemaChecks: SchemaChecks;
  readonly #tracker: CallTracker;
  readonly #pool: ConnectionPool;
  readonly #chats: HostChats;
  /** The ids of the callers whose questions a user answers. */
  readonly #attendedCallers = new Set<string>();
  readonly #workspaces: HostWorkspaces;
  // These parts are made on first use, because a host for a single call needs none of them.
  #inbox: QuestionInbox | undefined;
  #failedCalls: FailedCalls | undefined;
  #metrics: HostMetrics | undefined;
  #madeVault: HostVault | undefined;

  /** `base` may already have started processes for this host. */
  constructor(options: HostOptions = {}, base = new HostBase(options)) {
    const { limits, lingerMs, model, chats } = options;
    const { ids, events, processes } = base;
    const clock = systemClock;
    this.#options = options;
    this.#base = base;
    this.ids = ids;
    this.events = events;
    const { emit } = events;
    this.#state = new HostState({ shared: base.state, clock, emit });
    this.telemetry = new Telemetry({ durations: () => this.metrics.durations, monotonicNow: () => performance.now() });
    base.onEvent = (event) => {
      // From events, the metrics count only questions. Other events must not make the metrics, which few hosts need.
      if (event.type === "question.asked" || event.type === "question.settled") this.metrics.onEvent(event);
      this.#state.record(event);
    };
    this.#chats = new HostChats(chats && (() => chats(this)));
    // The parts below are passed on as functions and getters, so that each part is made when a call first needs it.
    const inbox = () => this.inbox;
    const failedCalls = () => this.failedCalls;
    const attended = (caller: Caller) => this.attended(caller);
    const modelFor = (owner: QuestionOwner) => this.#modelFor(owner);
    const hasModel = model !== undefined || chats !== undefined;
    let sampling: Sampling | undefined;
    this.#schemaChecks = new SchemaChecks({ clock });
    const tracker = new CallTracker({
      newId: randomId,
      monotonicNow: () => performance.now(),
      emit: events.emitCall,
      telemetry: this.telemetry,
      get failedCalls() {
        return failedCalls();
      },
      clock,
    });
    this.#tracker = tracker;
    const callPorts: CallPorts & ServerRequestsOptions = {
      emit,
      attended,
      get inbox() {
        return inbox();
      },
      get sampling() {
        return hasModel ? (sampling ??= new Sampling({ inbox: inbox(), emit, attended, modelFor })) : undefined;
      },
      queue: new CallerQueue(clock),
      decisions: base.state.decisions,
      pinOf,
      checks: this.#schemaChecks,
      unmetSchemas: new UnmetSchemas(),
      tracker,
      telemetry: this.telemetry,
    };
    let requests: ServerRequests | undefined;
    this.#pool = new ConnectionPool({
      processes,
      clock,
      identity: { name: "plugboard", version: VERSION, ids: this.ids },
      unattributedRequestHandler: (spec) => handleUnattributedRequests(spec, callPorts),
      onRestarted: (server) => this.metrics.recordRestart(server),
      onSessionEnded: (server, durationMs) => {
        // Nobody reads the metrics of a closing host, so they are not made for its last sessions.
        if (this.#metrics || !this.#workspaces.isClosing)
          this.telemetry.recordSession({ side: "client", server }, durationMs);
      },
      catalogs: (key, definition) => this.#state.catalog(key, definition),
      eras: (key) => this.#state.era(key),
      outputRecorder: (server, redactor) => this.#state.outputRecorder(server, redactor),
      ...(limits && { limits }),
      ...(lingerMs !== undefined && { lingerMs }),
    });
    this.#workspaces = new HostWorkspaces({
      options,
      base,
      state: this.#state,
      vault: () => this.#vault,
      callPorts,
      requests: () => (requests ??= new ServerRequests(callPorts)),
      pool: this.#pool,
      telemetry: this.telemetry,
    });
  }

  /** The questions of all callers and workspaces. */
  get inbox(): QuestionInbox {
    const { questionDeadlineMs: deadlineMs } = this.#options;
    return (this.#inbox ??= new QuestionInbox({
      clock: systemClock,
      newId: randomUUID,
      emit: this.events.emit,
      ...(deadlineMs !== undefined && { deadlineMs }),
    }));
  }

  get metrics(): HostMetrics {
    const sinceStart = () => this.#state.callStats.counter.sinceStart();
    return (this.#metrics ??= new HostMetrics(this.#startedAt, { sinceStart }));
  }

  get failedCalls(): FailedCalls {
    return (this.#failedCalls ??= new FailedCalls());
  }

  get serverObjects(): ServerObjects {
    return this.#base.serverObjects;
  }

  /** The number of open workspaces. */
  get openWorkspaces(): number {
    return this.#workspaces.size;
  }

  get decisions() {
    return this.#base.state.decisions;
  }

  /**
   * Returns the host for a new caller. `attended`: a user answers the caller's own questions. `watchesInbox`: a user
   * also answers questions to the workspace and of gateway clients. An attended caller of a kind that answers for its
   * whole workspace, such as a page, watches the inbox without this option.
   */
  as(kind: CallerKind, { attended = false, watchesInbox = false }: CallerOptions = {}): HostApi {
    const caller: Caller = { kind, id: randomUUID() };
    if (watchesInbox) requireRight(caller, "watch_inbox");
    if (attended) this.#attendedCallers.add(caller.id);
    const watches = watchesInbox || (attended && answersForWorkspace(kind));
    const stopWatching = watches ? this.inbox.watchers.add(caller) : () => {};
    const onClosed = () => {
      this.#attendedCallers.delete(caller.id);
      stopWatching();
      this.inbox.chatWatchers.removeCaller(caller);
    };
    return bindHost(this, { caller, chats: () => this.#chats.service(), onClosed });
  }

  /** Returns whether a user answers the questions of this caller. The questions of a chat go to all who watch it. */
  attended({ kind, id }: Caller): boolean {
    if (kind !== "chat") return this.#attendedCallers.has(id);
    return [id, ...this.inbox.chatWatchers.of(id)].some((caller) => this.#attendedCallers.has(caller));
  }

  /** Returns the workspace of a chat that the caller watches. */
  async chatWorkspace(chat: string, caller: Caller): Promise<OpenWorkspace> {
    const service = await this.#chats.service();
    if (!this.inbox.chatWatchers.watches(chat, caller))
      throw new HostError("FORBIDDEN", { reason: "resume the chat before you use its workspace" });
    return service.workspace(chat, caller);
  }

  /**
   * Opens a workspace: reads its config and starts no server. With `nativeTools`, it has the tools that read and change
   * its files and run commands. Such a workspace must not be bound to a gateway client.
   */
  open(spec: WorkspaceSpec, options?: OpenOptions): Promise<OpenWorkspace> {
    return this.#workspaces.open(spec, options);
  }

  /**
   * Opens the workspace of a principal of the gateway, which logs in itself at some servers of the owner's workspace.
   */
  openForPrincipal(owner: OpenWorkspace, principal: PrincipalLogins): OpenWorkspace {
    return this.#workspaces.openForPrincipal(owner, principal);
  }

  /** Deletes the logins of the principals that no longer exist. */
  async logOutPrincipals(isGone: (principal: string) => boolean): Promise<void> {
    await this.#vault.logins.logOutPrincipals(isGone);
  }

  /** Returns the workspace's methods for one caller. */
  bind(workspace: OpenWorkspace, caller: Caller): Workspace {
    const { events, decisions } = this;
    const inbox = () => this.inbox;
    return bindWorkspace(workspace, {
      caller,
      get inbox() {
        return inbox();
      },
      decisions,
      logins: {
        list: () => this.#vault.logins.list(),
        setBackend: (backend) => this.#vault.setBackend(backend),
      },
      secrets: () => this.#secrets,
      recentActivity: (query) => this.#state.recent(query),
      metrics: (): Metrics => this.metrics.snapshot(),
      stats: (query) => this.#state.callStats.stats(query),
      seq: () => events.seq,
      release: () => this.release(workspace),
    });
  }

  /** The environment of the host. */
  get env(): Env {
    return this.#base.env;
  }

  /** Undefined if the state is in memory only. */
  get stateFolder(): string | undefined {
    return this.#base.state.folder;
  }

  /** The number of chats that are open, or closed but still finishing their last turn. */
  get openChats(): number {
    return this.#chats.openChats;
  }

  /** Opens the store of the secrets that definitions refer to. */
  async openSecrets(): Promise<SecretSource> {
    await this.#base.state.open();
    return this.#secrets;
  }

  /** Reads the stored decisions again, because a host without a workspace does not watch their file. */
  async openDecisions(): Promise<DecisionStore> {
    const { state } = this.#base;
    await state.open();
    await state.decisions.reload();
    return state.decisions;
  }

  /** Reads a secret from the program's callback if it has one, otherwise from the secret store. */
  async findSecret(name: string): Promise<string | undefined> {
    return this.#options.secrets ? this.#options.secrets(name) : this.#vault.secrets.find(name);
  }

  /** Forgets the decisions and subscriptions of a caller, and closes the connections that only it used. */
  async endCaller(caller: Caller): Promise<void> {
    this.decisions.forgetCaller(caller);
    this.#workspaces.endCaller(caller);
    await this.#pool.forgetClient(caller.id);
  }

  /** Deletes the decisions of a principal whose token was revoked, and closes the connections that only it used. */
  async forgetPrincipal(principal: string): Promise<void> {
    const forgetting = this.decisions.forgetPrincipal(principal).catch((error: unknown) => {
      this.events.emit({ type: "state.failed", error: toHostError(error).toJSON() });
    });
    await Promise.all([forgetting, this.#pool.forgetPrincipal(principal)]);
  }

  /** Converts a result to text and media for a model. Text over the server's limit is cut and stored. */
  toModelContent(
    workspace: OpenWorkspace,
    ref: ToolRef,
    result: ToolResult,
    limitBytes?: number,
  ): Promise<ModelContent> {
    return toModelContent(result, {
      source: workspace.tools.displayName(ref),
      limitBytes: limitBytes ?? workspace.calls.resultLimitBytes(ref),
      store: (text) => this.storeOutput(workspace, text),
    });
  }

  /** Calls the `roots` port again for every workspace. */
  async rootsChanged(): Promise<void> {
    await this.#workspaces.rootsChanged();
  }

  /** Stores long results, and reads them in pages. */
  get outputs(): HostOutputs {
    return {
      save: (text) => this.#state.storeOutput(text),
      read: (id, range) => this.#state.readOutput(id, range),
    };
  }

  /** Deletes the long results that have expired. A failure is reported by an event. */
  async deleteExpiredOutputs(): Promise<void> {
    try {
      await this.#state.deleteExpiredOutputs();
    } catch (error) {
      this.events.emit({ type: "state.failed", error: toHostError(error).toJSON() });
    }
  }

  /** Stores a result that is too long for a model. The model reads it with the tool `read_output`. */
  async storeOutput(workspace: OpenWorkspace, text: string): Promise<string> {
    const id = await this.#state.storeOutput(text);
    workspace.nativeTools.onOutputStored();
    return id;
  }

  /** Releases the workspace. Its connections may stay open for `lingerMs`. */
  async release(workspace: OpenWorkspace): Promise<void> {
    await this.#workspaces.release(workspace);
  }

  /** Closes every workspace and connection, and ends every process. */
  async close(): Promise<void> {
    this.#workspaces.stopOpening();
    await this.#chats.close();
    this.#inbox?.close();
    this.#tracker.close();
    // Most of the state is written while the servers stop.
    void this.#state.flush();
    await Promise.all([this.#workspaces.releaseAll(), this.#pool.close()]);
    await Promise.all([this.#base.processes.stopAll(), this.#schemaChecks.close(), this.#madeVault?.close()]);
    await this.#state.close();
    this.events.close();
  }

  get #secrets(): SecretSource {
    const { secrets: program } = this.#options;
    return { store: this.#vault.secrets, ...(program && { program }) };
  }

  get #vault(): HostVault {
    const { env, state, events } = this.#base;
    const clock = systemClock;
    return (this.#madeVault ??= new HostVault({
      state,
      keyring: this.#options.keyring ?? systemKeyring({ env, clock }),
      clock,
      emit: events.emit,
    }));
  }

  /** Returns the model for sampling: the chat's own, otherwise the program's. */
  #modelFor(owner: QuestionOwner): ModelPort | undefined {
    const isChat = owner !== "workspace" && owner.kind === "chat";
    return (isChat ? this.#chats.modelOf(owner.id) : undefined) ?? this.#options.model;
  }
}
