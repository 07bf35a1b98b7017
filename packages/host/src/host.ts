/** The composition root: makes the parts of a host and joins them. No behaviour of its own beyond opening and closing. */
import { randomUUID } from "node:crypto";
import { HostError, sameCaller } from "@plugboard/contracts";
import type {
  Caller,
  CallerKind,
  ConfigLayer,
  HostApi,
  HostEventData,
  Metrics,
  Workspace,
  WorkspaceSpec,
  Env,
} from "@plugboard/contracts";
import { serveInProcess, systemClock } from "@plugboard/mcp";
import { Processes, runOnce } from "@plugboard/mcp/process";
import type { ConnectionLimits, HostIds, ServerObject } from "@plugboard/mcp";
import { EventLog } from "./activity/event-log.ts";
import { HostMetrics } from "./activity/metrics.ts";
import { CallTracer } from "./activity/call-tracer.ts";
import { CallTracker } from "./calls/call-tracker.ts";
import { Calls } from "./calls/calls.ts";
import { ServerRequests } from "./calls/server-requests.ts";
import { readOutputTool } from "./calls/read-output-tool.ts";
import { SAMPLING_WITH_TOOLS, Sampling } from "./calls/sampling.ts";
import type { ModelPort } from "./calls/sampling.ts";
import { SchemaChecks } from "./calls/schemas/schema-checks.ts";
import { CallerQueue } from "./calls/caller-queue.ts";
import { handleUnattributedRequests } from "./calls/unattributed-requests.ts";
import { ProjectLayerCache } from "./config/read/project-layer-cache.ts";
import { readConfig } from "./config/read/read-config.ts";
import type { ResolvePorts } from "./config/resolve/resolve-server.ts";
import { watchFiles } from "./store/watch-files.ts";
import { HostState } from "./host-state.ts";
import { QuestionInbox, mayAnswer } from "./inbox/question-inbox.ts";
import type { OpenUrlPort } from "./auth/oauth/interactive-login.ts";
import { keyringSecrets } from "./auth/vault/keyring.ts";
import type { Keyring } from "./auth/vault/keyring.ts";
import { LoginStore } from "./auth/vault/login-store.ts";
import { LoginManager } from "./auth/login-manager.ts";
import { systemKeyring } from "./auth/vault/system-keyring.ts";
import { ConnectionPool } from "./pool/connection-pool.ts";
import { Pins } from "./tools/pins.ts";
import { definitionHash } from "./trust/definition-hash.ts";
import { VERSION } from "./lib/version.ts";
import { bindWorkspace } from "./workspace/bind-workspace.ts";
import { ClientCapabilities } from "./workspace/client-capabilities.ts";
import { WorkspaceRoots } from "./workspace/workspace-roots.ts";
import type { RootsPort } from "./workspace/workspace-roots.ts";
import { OpenWorkspace } from "./workspace/open-workspace.ts";

export interface HostOptions {
  /** The config layers that workspaces read; all by default. Restrictions of the managed layer always apply. */
  readonly config?: readonly ConfigLayer[];
  readonly env?: Env;
  /** How long a question waits for its answer. */
  readonly questionDeadlineMs?: number;
  readonly limits?: Partial<ConnectionLimits>;
  /** Whether consents, decisions, catalogs, long results and the journal are kept in the user's state folder. */
  readonly persist?: boolean;
  /** Where the administrator's config is, if not in the usual place. */
  readonly managedConfigPath?: string;
  /** Fetches a secret of that name from wherever the program keeps them. */
  readonly secrets?: ResolvePorts["secrets"];
  /** What servers that may use the model get their texts from. */
  readonly model?: ModelPort;
  /** Returns the roots for servers of a workspace. Without it, a project's servers get the workspace's folder. */
  readonly roots?: RootsPort;
  /** Opens the page where somebody logs in. Without it, whoever is asked opens it. */
  readonly openUrl?: OpenUrlPort;
  /** Where the key to the logins is kept, if not in that of the operating system. */
  readonly keyring?: Keyring;
}

export class Host {
  readonly events: EventLog;
  readonly inbox: QuestionInbox;
  readonly metrics: HostMetrics;
  /** By these ids the host detects a connection to itself. */
  readonly ids: HostIds = { client: randomUUID(), gateway: randomUUID() };

  readonly #options: HostOptions;
  readonly #env: NonNullable<HostOptions["env"]>;
  readonly #state: HostState;
  readonly #processes: Processes;
  readonly #checks: SchemaChecks;
  readonly #calls: Calls;
  readonly #requests: ServerRequests;
  readonly #pool: ConnectionPool;
  #logins: LoginManager | undefined;
  readonly #keyring: Keyring;
  readonly #attended = new Set<string>();
  readonly #workspaces = new Map<OpenWorkspace, WorkspaceRoots>();
  readonly #serverObjects = new Map<string, ServerObject>();
  #tracing: CallTracer | undefined;
  #closed = false;

  constructor(options: HostOptions = {}) {
    const { env = process.env, questionDeadlineMs, limits, persist = true, model } = options;
    const clock = systemClock;
    this.#options = options;
    this.#env = env;
    this.#processes = new Processes(clock, this.ids.client);
    this.metrics = new HostMetrics(clock.now());
    this.events = new EventLog(
      () => clock.now(),
      (event) => {
        this.metrics.onEvent(event);
        this.#state.record(event);
      },
    );
    const { emit } = this.events;
    this.#state = new HostState({ env, clock, newId: randomUUID, emit, persist });
    const { decisions } = this.#state;
    this.#keyring = options.keyring ?? systemKeyring({ env, clock });
    const deadline = questionDeadlineMs === undefined ? {} : { deadlineMs: questionDeadlineMs };
    this.inbox = new QuestionInbox({ clock, newId: randomUUID, emit, ...deadline });
    const attended = (caller: Caller) => this.#attended.has(caller.id);
    const sampling = model && new Sampling({ inbox: this.inbox, emit, attended, model });
    const askPorts = { inbox: this.inbox, emit, attended, sampling, queue: new CallerQueue(clock) };
    this.#checks = new SchemaChecks({ clock });
    const tracker = new CallTracker({
      newId: randomUUID,
      monotonicNow: () => performance.now(),
      emit,
      tracing: () => this.#tracing,
      clock,
    });
    this.#calls = new Calls({ ...askPorts, decisions, pins: new Pins(), checks: this.#checks, tracker });
    this.#requests = new ServerRequests(askPorts);
    this.#pool = new ConnectionPool({
      processes: this.#processes,
      clock,
      identity: { name: "plugboard", version: VERSION, ids: this.ids },
      unattributedRequestHandler: (server) => handleUnattributedRequests(server, askPorts),
      onRestarted: this.metrics.recordRestart,
      catalogs: (key) => this.#state.catalog(key),
      eras: (of) => this.#state.era(of),
      ...(limits && { limits }),
    });
  }

  get decisions() {
    return this.#state.decisions;
  }

  get history() {
    return this.#state;
  }

  /** The host for a new caller. `attended`: somebody is there who will answer that caller's questions. */
  as(kind: CallerKind, { attended = false } = {}): HostApi {
    const caller: Caller = { kind, id: randomUUID() };
    if (attended) this.#attended.add(caller.id);
    const opened = new Set<OpenWorkspace>();
    return {
      caller,
      workspace: async (spec) => {
        const workspace = await this.open(spec);
        opened.add(workspace);
        return this.bind(workspace, caller);
      },
      events: (after, signal) => this.events.events(after, signal, (fact) => maySeeEvent(fact, caller)),
      close: async () => {
        this.#attended.delete(caller.id);
        this.decisions.forgetCaller(caller);
        await Promise.all([...opened].map((workspace) => this.release(workspace)));
      },
    };
  }

  /**
   * A server that is an object of this program. The name by which definitions have it is
   * returned: the one it is given, unless that is another object's.
   */
  addServer(name: string, server: ServerObject): string {
    let free = name;
    const isTaken = () => (this.#serverObjects.get(free) ?? server) !== server;
    for (let count = 2; isTaken(); count++) free = `${name}#${count}`;
    this.#serverObjects.set(free, server);
    return free;
  }

  /** Forgets the objects that have no definition any more. */
  retainServers(names: ReadonlySet<string>): void {
    for (const name of this.#serverObjects.keys()) if (!names.has(name)) this.#serverObjects.delete(name);
  }

  async open(spec: WorkspaceSpec): Promise<OpenWorkspace> {
    const env = spec.env ?? this.#env;
    const {
      config: layers,
      managedConfigPath,
      secrets = keyringSecrets(this.#keyring),
      model,
      roots,
      openUrl,
    } = this.#options;
    const { trust } = this.#state;
    const isTrusted = (server: Parameters<typeof definitionHash>[0]) =>
      trust.isTrusted({ ...server, hash: definitionHash(server) });
    const projectLayerCache = new ProjectLayerCache();
    const read = (wanted: WorkspaceSpec) =>
      readConfig(wanted, env, {
        layers,
        isTrusted,
        projectLayerCache,
        ...(managedConfigPath !== undefined && { managedConfigPath }),
      });
    [this.#tracing] = await Promise.all([this.#tracing ?? CallTracer.findRegistered(), this.#state.open()]);
    const config = await read(spec);
    const { emit } = this.events;
    const port = roots && { id: randomUUID(), roots };
    const workspaceRoots = new WorkspaceRoots({ folder: spec.cwd, port, emit });
    await workspaceRoots.refresh();
    if (this.#closed) throw new HostError("HOST_CLOSED", {});
    const workspace = new OpenWorkspace({
      spec,
      config,
      read,
      watch: (files, onChange) =>
        watchFiles([...files, ...this.#state.sharedFiles], () => void this.#reloadShared(onChange)),
      clock: systemClock,
      calls: this.#calls,
      requests: this.#requests,
      inbox: this.inbox,
      trust,
      attended: (caller) => this.#attended.has(caller.id),
      openUrl,
      serverPorts: {
        pool: this.#pool,
        env,
        resolve: {
          secrets,
          runCommand: ([command, ...args], cwd) => runOnce({ command, args, cwd }, systemClock),
          inProcess: (name) => this.#inProcessTarget(name),
        },
        capabilities: new ClientCapabilities(workspaceRoots, model ? SAMPLING_WITH_TOOLS : false),
        logins: this.#loginManager,
        emit,
      },
    });
    workspace.nativeTools.add(readOutputTool((id, range) => this.#state.readOutput(id, range)));
    workspaceRoots.onChanged(() => workspace.rootsChanged());
    this.#workspaces.set(workspace, workspaceRoots);
    return workspace;
  }

  bind(workspace: OpenWorkspace, caller: Caller): Workspace {
    const { inbox, events, decisions, history, metrics } = this;
    return bindWorkspace(workspace, {
      caller,
      inbox,
      decisions,
      logins: this.#loginManager,
      recent: (query) => history.recent(query),
      metrics: (): Metrics => metrics.snapshot(),
      seq: () => events.seq,
      release: () => this.release(workspace),
    });
  }

  /** The folders that the `roots` port names are others now. */
  async rootsChanged(): Promise<void> {
    await Promise.all([...this.#workspaces.values()].map((folder) => folder.refresh()));
  }

  /** Keeps the whole of a result that is too long for a model; `read_output` reads on in it. */
  async storeOutput(workspace: OpenWorkspace, text: string): Promise<string> {
    const id = await this.#state.storeOutput(text);
    workspace.nativeTools.onOutputStored();
    return id;
  }

  async release(workspace: OpenWorkspace): Promise<void> {
    this.#workspaces.delete(workspace);
    await workspace.release();
  }

  /** Nothing is left running afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    this.inbox.close();
    this.#calls.close();
    await Promise.all([...this.#workspaces.keys()].map((workspace) => this.release(workspace)));
    await Promise.all([this.#processes.stopAll(), this.#checks.close(), this.#logins?.close()]);
    await this.#state.close();
    this.events.close();
  }

  /** Another process may have agreed to something, or decided it. */
  async #reloadShared(onReloaded: () => void): Promise<void> {
    await Promise.all([this.#state.reload(), this.#logins?.reload()]);
    onReloaded();
  }

  /** Where they are kept is known once the state is open. */
  get #loginManager(): LoginManager {
    const { emit } = this.events;
    const store = { file: this.#state.loginFile, keyring: this.#keyring, emit };
    const watch = (files: readonly string[], onChange: () => void) => watchFiles(files, onChange);
    return (this.#logins ??= new LoginManager({ store: new LoginStore(store), clock: systemClock, emit, watch }));
  }

  #inProcessTarget(name: string) {
    const object = this.#serverObjects.get(name);
    if (!object) return undefined;
    const connect = () => serveInProcess(object, name);
    return { transport: "in-process", id: name, connect } as const;
  }
}

/** What somebody else is asked, and what they answer, is theirs. */
function maySeeEvent(fact: HostEventData, caller: Caller): boolean {
  if (fact.type === "question.asked" || fact.type === "question.settled") return mayAnswer(fact.question, caller);
  return fact.type !== "question.unattended" || sameCaller(fact.owner, caller);
}
