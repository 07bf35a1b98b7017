/** The composition root of the host: creates its parts and connects them, opens workspaces and closes everything. */
import { randomUUID } from "node:crypto";
import { HostError } from "@plugboard/contracts";
import type {
  Caller,
  CallerKind,
  CallerOptions,
  Env,
  HostApi,
  HostEventData,
  LoginBackend,
  LoginList,
  Metrics,
  QuestionOwner,
  ToolRef,
  ToolResult,
  Workspace,
  WorkspaceSpec,
} from "@plugboard/contracts";
import { runOnce } from "@plugboard/mcp/process";
import { systemClock } from "@plugboard/mcp/clock";
import { serveInProcess } from "@plugboard/mcp";
import type { HostIds, InProcessTarget } from "@plugboard/mcp";
import type { EventLog } from "../activity/event-log.ts";
import { FailedCalls } from "../activity/failed-calls.ts";
import { HostMetrics } from "../activity/metrics.ts";
import { CallTracer } from "../activity/call-tracer.ts";
import { Telemetry } from "../activity/telemetry.ts";
import { CallTracker } from "../calls/call-tracker.ts";
import { Calls } from "../calls/calls.ts";
import { ServerRequests } from "../calls/server-requests.ts";
import { readOutputTool } from "../calls/read-output-tool.ts";
import { SAMPLING_WITH_TOOLS, Sampling } from "../calls/sampling.ts";
import type { ModelPort } from "../calls/sampling.ts";
import { toModelContent } from "../calls/to-model-content.ts";
import type { ModelContent } from "../calls/to-model-content.ts";
import { SchemaChecks } from "../calls/schemas/schema-checks.ts";
import { CallerQueue } from "../calls/caller-queue.ts";
import { handleUnattributedRequests } from "../calls/ask-user.ts";
import type { OutputFiles } from "../store/output-files.ts";
import { watchFiles } from "../store/watch-files.ts";
import { bindChats } from "./chat-service.ts";
import type { ChatService } from "./chat-service.ts";
import { HostBase } from "./host-base.ts";
import type { HostOptions } from "./host-options.ts";
import { HostState } from "./host-state.ts";
import { QuestionInbox } from "../inbox/question-inbox.ts";
import type { Keyring } from "../auth/vault/keyring.ts";
import { LoginStore } from "../auth/vault/login-store.ts";
import { SecretStore } from "../auth/vault/secret-store.ts";
import { LoginManager } from "../auth/login-manager.ts";
import { systemKeyring } from "../auth/vault/system-keyring.ts";
import { ConnectionPool } from "../pool/connection-pool.ts";
import type { ServerObjects } from "./server-objects.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import { Pins } from "../tools/pins.ts";
import { VERSION } from "../lib/version.ts";
import { bindWorkspace } from "../workspace/bind-workspace.ts";
import { ClientCapabilities } from "../workspace/client-capabilities.ts";
import { WorkspaceRoots } from "../workspace/workspace-roots.ts";
import { OpenWorkspace } from "../workspace/open-workspace.ts";

/** The store of results that are too long for their receiver. */
export type HostOutputs = Pick<OutputFiles, "save" | "read">;

export class Host {
  readonly events: EventLog;
  readonly inbox: QuestionInbox;
  readonly metrics: HostMetrics;
  readonly telemetry: Telemetry;
  readonly failedCalls = new FailedCalls();
  readonly serverObjects: ServerObjects;
  /** Sent to servers and clients, so that the host detects a connection to itself. */
  readonly ids: HostIds;

  readonly #options: HostOptions;
  readonly #base: HostBase;
  readonly #state: HostState;
  readonly #schemaChecks: SchemaChecks;
  readonly #calls: Calls;
  readonly #serverRequests: ServerRequests;
  readonly #pool: ConnectionPool;
  // Created on first use, because the paths of their files are known only after the state folder is open.
  #logins: LoginManager | undefined;
  #openedLoginStore: LoginStore | undefined;
  #secrets: SecretStore | undefined;
  readonly #keyring: Keyring;
  #chats: Promise<ChatService> | undefined;
  #loadedChats: ChatService | undefined;
  /** The ids of the callers whose questions a user answers. */
  readonly #attendedCallers = new Set<string>();
  readonly #workspaces = new Map<OpenWorkspace, WorkspaceRoots>();
  #closed = false;

  /** `base` may already have started processes for this host. */
  constructor(options: HostOptions = {}, base = new HostBase(options)) {
    const { questionDeadlineMs, limits, lingerMs, model } = options;
    const { env, ids, events, processes } = base;
    const clock = systemClock;
    this.#options = options;
    this.#base = base;
    this.ids = ids;
    this.events = events;
    this.metrics = new HostMetrics(clock.now());
    this.telemetry = new Telemetry({ durations: this.metrics.durations, monotonicNow: () => performance.now() });
    this.serverObjects = base.serverObjects;
    const { emit } = events;
    this.#state = new HostState({ shared: base.state, clock, emit });
    base.onEvent = (event) => {
      this.metrics.onEvent(event);
      this.#state.record(event);
    };
    const { decisions } = base.state;
    this.#keyring = options.keyring ?? systemKeyring({ env, clock });
    const deadline = questionDeadlineMs === undefined ? {} : { deadlineMs: questionDeadlineMs };
    this.inbox = new QuestionInbox({ clock, newId: randomUUID, emit, ...deadline });
    const attended = (caller: Caller) => this.attended(caller);
    const modelFor = (owner: QuestionOwner) => this.#modelFor(owner);
    const hasModel = model !== undefined || options.chats !== undefined;
    const sampling = hasModel ? new Sampling({ inbox: this.inbox, emit, attended, modelFor }) : undefined;
    const askPorts = { inbox: this.inbox, emit, attended, sampling, queue: new CallerQueue(clock) };
    this.#schemaChecks = new SchemaChecks({ clock });
    const tracker = new CallTracker({
      newId: randomUUID,
      monotonicNow: () => performance.now(),
      emit,
      telemetry: this.telemetry,
      failedCalls: this.failedCalls,
      clock,
    });
    this.#calls = new Calls({ ...askPorts, decisions, pins: new Pins(), checks: this.#schemaChecks, tracker });
    this.#serverRequests = new ServerRequests({ ...askPorts, telemetry: this.telemetry });
    this.#pool = new ConnectionPool({
      processes,
      clock,
      identity: { name: "plugboard", version: VERSION, ids: this.ids },
      unattributedRequestHandler: (server, sampling) => handleUnattributedRequests(server, sampling, askPorts),
      onRestarted: this.metrics.recordRestart,
      onSessionEnded: (server, durationMs) => this.telemetry.recordSession({ side: "client", server }, durationMs),
      catalogs: (key) => this.#state.catalog(key),
      eras: (key) => this.#state.era(key),
      outputRecorder: (server, redactor) => this.#state.outputRecorder(server, redactor),
      ...(limits && { limits }),
      ...(lingerMs !== undefined && { lingerMs }),
    });
  }

  /** The number of open workspaces. */
  get openWorkspaces(): number {
    return this.#workspaces.size;
  }

  get decisions() {
    return this.#base.state.decisions;
  }

  /** Returns the host for a new caller. */
  as(kind: CallerKind, { attended = false, watchesInbox = false }: CallerOptions = {}): HostApi {
    const caller: Caller = { kind, id: randomUUID() };
    if (watchesInbox && (kind === "front" || kind === "chat")) {
      throw new HostError("FORBIDDEN", { reason: "a gateway client or a conversation can't watch the inbox" });
    }
    if (attended) this.#attendedCallers.add(caller.id);
    // A program or a page that answers questions answers those of its workspace, too.
    const watches = watchesInbox || (attended && (kind === "program" || kind === "page"));
    const stopWatching = watches ? this.inbox.watchers.add(caller) : () => {};
    const opened = new Set<OpenWorkspace>();
    const close = async () => {
      this.#attendedCallers.delete(caller.id);
      stopWatching();
      this.inbox.chatWatchers.removeCaller(caller);
      await Promise.all([...opened].map((workspace) => this.release(workspace)));
      await this.endCaller(caller);
    };
    return {
      caller,
      workspace: async (spec) => {
        const workspace = await this.open(spec, hasNativeTools(kind, spec));
        opened.add(workspace);
        return this.bind(workspace, caller);
      },
      events: (after, signal) => this.events.events(after, signal, (event) => maySeeEvent(event, caller, this.inbox)),
      chats: bindChats(caller, () => this.#chatService()),
      chatWorkspace: async (chat) => ({
        ...this.bind(await this.chatWorkspace(chat, caller), caller),
        release: () => Promise.resolve(),
      }),
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  /** Whether a user answers the questions of this caller. The user of a chat is any that watches it. */
  attended({ kind, id }: Caller): boolean {
    if (kind !== "chat") return this.#attendedCallers.has(id);
    return [id, ...this.inbox.chatWatchers.of(id)].some((caller) => this.#attendedCallers.has(caller));
  }

  /** Returns the workspace of a chat that the caller watches. */
  async chatWorkspace(chat: string, caller: Caller): Promise<OpenWorkspace> {
    const service = await this.#chatService();
    if (!this.inbox.chatWatchers.watches(chat, caller))
      throw new HostError("FORBIDDEN", { reason: "resume the chat before you use its workspace" });
    return service.workspace(chat);
  }

  /**
   * Opens a workspace: reads its config and starts no server. With `nativeTools`, it has the tools that read and change its
   * files and run commands. Such a workspace must not be bound to a gateway client.
   */
  async open(spec: WorkspaceSpec, nativeTools = false): Promise<OpenWorkspace> {
    const env = spec.env ?? this.#base.env;
    const { secrets, model, chats, forwardsSampling, extensions, roots, openUrl } = this.#options;
    const [tracer, { config, read }] = await Promise.all([
      this.telemetry.tracer ?? CallTracer.findRegistered(),
      this.#base.openConfig(spec),
    ]);
    this.telemetry.tracer = tracer;
    const { emit } = this.events;
    const rootsPort = roots && { id: randomUUID(), roots };
    const workspaceRoots = new WorkspaceRoots({ folder: spec.cwd, port: rootsPort, emit });
    await workspaceRoots.refresh();
    if (this.#closed) throw new HostError("HOST_CLOSED", {});
    const workspace = new OpenWorkspace({
      spec,
      config,
      read,
      watch: (files, onChange) =>
        watchFiles([...files, ...this.#base.state.sharedFiles], () => void this.#reloadShared(onChange)),
      clock: systemClock,
      calls: this.#calls,
      requests: this.#serverRequests,
      inbox: this.inbox,
      trust: this.#base.state.trust,
      attended: (caller) => this.attended(caller),
      openUrl,
      serverPorts: {
        pool: this.#pool,
        env,
        resolve: {
          secrets: secrets ?? ((name) => this.#secretStore.find(name)),
          runCommand: ([command, ...args], cwd) => runOnce({ command, args, cwd }, systemClock),
          inProcess: (name) => this.#inProcessTarget(name),
        },
        capabilities: new ClientCapabilities(
          workspaceRoots,
          {
            byModel: model || chats ? SAMPLING_WITH_TOOLS : false,
            byClients: forwardsSampling ? SAMPLING_WITH_TOOLS : false,
          },
          extensions,
        ),
        logins: this.#loginManager,
        emit,
      },
    });
    workspace.nativeTools.add(readOutputTool((id, range) => this.#state.readOutput(id, range)));
    if (nativeTools) for (const tool of await this.#workspaceTools(workspace, spec)) workspace.nativeTools.add(tool);
    workspaceRoots.onChanged(() => workspace.rootsChanged());
    this.#workspaces.set(workspace, workspaceRoots);
    return workspace;
  }

  /** Returns the workspace's methods for one caller. */
  bind(workspace: OpenWorkspace, caller: Caller): Workspace {
    const { inbox, events, decisions, metrics } = this;
    return bindWorkspace(workspace, {
      caller,
      inbox,
      decisions,
      logins: {
        list: () => this.#loginManager.list(),
        setBackend: (backend) => this.#setBackend(backend),
      },
      secrets: () => this.#secretStore,
      programSecrets: this.#options.secrets,
      recentActivity: (query) => this.#state.recent(query),
      metrics: (): Metrics => metrics.snapshot(),
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

  /** The number of chats that are open or finish their last turn. */
  get openChats(): number {
    return this.#loadedChats?.openChats ?? 0;
  }

  /** Returns a secret of the program or of the user. */
  async findSecret(name: string): Promise<string | undefined> {
    return this.#options.secrets ? this.#options.secrets(name) : this.#secretStore.find(name);
  }

  /** Forgets the decisions and subscriptions of a caller, and closes the connections that only it used. */
  async endCaller(caller: Caller): Promise<void> {
    this.decisions.forgetCaller(caller);
    for (const workspace of this.#workspaces.keys()) workspace.subscriptions.endCaller(caller.id);
    await this.#pool.forgetClient(caller.id);
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
    await Promise.all([...this.#workspaces.values()].map((roots) => roots.refresh()));
  }

  /** Stores long results, and reads them in pages. */
  get outputs(): HostOutputs {
    return {
      save: (text) => this.#state.storeOutput(text),
      read: (id, range) => this.#state.readOutput(id, range),
    };
  }

  /** Stores a result that is too long for a model. The model reads it with the tool `read_output`. */
  async storeOutput(workspace: OpenWorkspace, text: string): Promise<string> {
    const id = await this.#state.storeOutput(text);
    workspace.nativeTools.onOutputStored();
    return id;
  }

  /** The connections may stay open for `lingerMs`. */
  async release(workspace: OpenWorkspace): Promise<void> {
    this.#workspaces.delete(workspace);
    await workspace.release({ linger: !this.#closed });
  }

  /** Closes every workspace and connection, and ends every process. */
  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#chats)?.close();
    this.inbox.close();
    this.#calls.close();
    // Most of the state is written while the servers stop.
    void this.#state.flush();
    const released = [...this.#workspaces.keys()].map((workspace) => this.release(workspace));
    await Promise.all([...released, this.#pool.close()]);
    await Promise.all([this.#base.processes.stopAll(), this.#schemaChecks.close(), this.#logins?.close()]);
    await this.#state.close();
    this.events.close();
  }

  /** Loads the tools on first use, because most commands need none of them. */
  async #workspaceTools(workspace: OpenWorkspace, spec: WorkspaceSpec): Promise<NativeTool[]> {
    const { workspaceTools } = await import("../native/workspace-tools.ts");
    return workspaceTools({
      folder: spec.cwd,
      stateFolder: this.#base.state.folder,
      configFiles: () => workspace.configFiles,
      processes: this.#base.processes,
      clock: systemClock,
      newId: randomUUID,
      released: workspace.released,
    });
  }

  /** A chat samples its own model, and any other caller that of the program. */
  #modelFor(owner: QuestionOwner): ModelPort | undefined {
    const isChat = owner !== "workspace" && owner.kind === "chat";
    return (isChat ? this.#loadedChats?.modelOf(owner.id) : undefined) ?? this.#options.model;
  }

  #chatService(): Promise<ChatService> {
    const { chats } = this.#options;
    if (this.#closed) return Promise.reject(new HostError("HOST_CLOSED", {}));
    if (!chats) return Promise.reject(new HostError("NOT_FOUND", { subject: "chat in a host without an agent" }));
    return (this.#chats ??= chats(this).then((service) => (this.#loadedChats = service)));
  }

  /** Returns the target for a connection to an object of the program, or undefined if no object has this name. */
  #inProcessTarget(name: string): InProcessTarget | undefined {
    const object = this.serverObjects.find(name);
    return object && { transport: "in-process", id: name, connect: () => serveInProcess(object, name) };
  }

  /** Reads trust, decisions and logins again, because another process may have changed them. */
  async #reloadShared(onReloaded: () => void): Promise<void> {
    await Promise.all([this.#base.state.reload(), this.#logins?.reload()]);
    onReloaded();
  }

  /** Moves logins and secrets to another backend. */
  async #setBackend(backend: Exclude<LoginBackend, "memory">): Promise<LoginList> {
    const list = await this.#loginManager.setBackend(backend);
    const leftBehindSecrets = await this.#secretStore.setBackend(backend);
    return { ...list, ...(leftBehindSecrets !== undefined && { leftBehindSecrets }) };
  }

  get #secretStore(): SecretStore {
    const loginBackend = async () => (await this.#loginStore.backend()).backend;
    const { emit } = this.events;
    return (this.#secrets ??= new SecretStore({
      file: this.#base.state.secretFile,
      keyring: this.#keyring,
      emit,
      loginBackend,
    }));
  }

  get #loginStore(): LoginStore {
    const { emit } = this.events;
    return (this.#openedLoginStore ??= new LoginStore({
      file: this.#base.state.loginFile,
      keyring: this.#keyring,
      emit,
    }));
  }

  get #loginManager(): LoginManager {
    const { emit } = this.events;
    const watch = (files: readonly string[], onChange: () => void) => watchFiles(files, onChange);
    return (this.#logins ??= new LoginManager({ store: this.#loginStore, clock: systemClock, emit, watch }));
  }
}

/** Returns whether the workspaces of a caller have the tools for files and commands. Throws FORBIDDEN if they can't. */
function hasNativeTools(kind: CallerKind, { nativeTools = kind === "chat" }: WorkspaceSpec): boolean {
  if (!nativeTools || kind === "chat" || kind === "program") return nativeTools;
  throw new HostError("FORBIDDEN", {
    reason: "only a conversation or a program can use the tools for files and commands",
  });
}

/** Hides the questions and subscriptions of other callers, and the chats that the caller does not watch. */
function maySeeEvent(event: HostEventData, caller: Caller, inbox: QuestionInbox): boolean {
  switch (event.type) {
    case "question.asked":
    case "question.settled":
      return inbox.mayAnswer(event.question, caller);
    case "question.unattended":
      return inbox.mayAnswer(event, caller);
    case "chat.event":
      return inbox.chatWatchers.watches(event.chat, caller);
    case "resource.updated":
      return event.caller.id === caller.id;
    default:
      return true;
  }
}
