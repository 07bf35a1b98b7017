/** The composition root: makes the parts of a host and joins them. No behaviour of its own beyond opening and closing. */
import { randomUUID } from "node:crypto";
import { HostError, sameCaller } from "@plugboard/contracts";
import type {
  Caller,
  CallerKind,
  ConfigLayer,
  HostApi,
  HostFact,
  Metrics,
  Workspace,
  WorkspaceSpec,
} from "@plugboard/contracts";
import { Processes, runOnce, serveInProcess, systemClock } from "@plugboard/mcp";
import type { ConnectionLimits, HostIds, ServerObject } from "@plugboard/mcp";
import { EventLog } from "./activity/event-log.ts";
import { HostMetrics } from "./activity/metrics.ts";
import { Tracing } from "./activity/tracing.ts";
import { CallRecords } from "./calls/call-records.ts";
import { Calls } from "./calls/calls.ts";
import { Ops } from "./calls/ops.ts";
import { nativeReadOutput } from "./calls/read-output.ts";
import { LENT, Sampling } from "./calls/sampling.ts";
import type { ModelPort } from "./calls/sampling.ts";
import { SchemaChecks } from "./calls/schemas/schema-checks.ts";
import { Turns } from "./calls/turns.ts";
import { ProjectLayers } from "./config/project-layers.ts";
import { readConfig } from "./config/read-config.ts";
import type { ResolvePorts } from "./config/resolve-target.ts";
import { watchFiles } from "./config/watch-files.ts";
import { HostState } from "./host-state.ts";
import { Inbox, mayAnswer } from "./inbox/inbox.ts";
import type { OpenUrlPort } from "./login/asking.ts";
import { keyringSecrets } from "./login/keyring.ts";
import type { Keyring } from "./login/keyring.ts";
import { LoginStore } from "./login/login-store.ts";
import { Logins } from "./login/logins.ts";
import { systemKeyring } from "./login/system-keyring.ts";
import { Pool } from "./pool/pool.ts";
import { Pins } from "./tools/pin.ts";
import { definitionHash } from "./trust/definition-hash.ts";
import { VERSION } from "./version.ts";
import { bindWorkspace } from "./workspace/bound-workspace.ts";
import { Lends } from "./workspace/lends.ts";
import { WorkspaceRoots } from "./workspace/roots.ts";
import type { RootsPort } from "./workspace/roots.ts";
import { OpenWorkspace } from "./workspace/workspace.ts";

export interface HostOptions {
  /** The config layers that workspaces read; all by default. Restrictions of the managed layer always apply. */
  readonly config?: readonly ConfigLayer[];
  readonly env?: { readonly [name: string]: string | undefined };
  /** How long a question waits for its answer. */
  readonly questionDeadlineMs?: number;
  readonly limits?: Partial<ConnectionLimits>;
  /** Whether consents, decisions, catalogs, long results and the journal are kept in the user's state folder. */
  readonly keeps?: boolean;
  /** Where the administrator's config is, if not in the usual place. */
  readonly managedPath?: string;
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
  readonly inbox: Inbox;
  readonly metrics: HostMetrics;
  /** By these ids the host detects a connection to itself. */
  readonly ids: HostIds = { client: randomUUID(), gateway: randomUUID() };

  readonly #options: HostOptions;
  readonly #env: NonNullable<HostOptions["env"]>;
  readonly #state: HostState;
  readonly #processes: Processes;
  readonly #checks: SchemaChecks;
  readonly #calls: Calls;
  readonly #ops: Ops;
  readonly #pool: Pool;
  #logins: Logins | undefined;
  readonly #keyring: Keyring;
  readonly #attended = new Set<string>();
  readonly #workspaces = new Map<OpenWorkspace, WorkspaceRoots>();
  readonly #inProcess = new Map<string, ServerObject>();
  #tracing: Tracing | undefined;
  #closed = false;

  constructor(options: HostOptions = {}) {
    const { env = process.env, questionDeadlineMs, limits, keeps = true, model } = options;
    const clock = systemClock;
    this.#options = options;
    this.#env = env;
    this.#processes = new Processes(clock, this.ids.client);
    this.metrics = new HostMetrics(clock.now());
    this.events = new EventLog(
      () => clock.now(),
      (event) => {
        this.metrics.note(event);
        this.#state.note(event);
      },
    );
    const { state } = this.events;
    this.#state = new HostState({ env, clock, newId: randomUUID, state, keeps });
    const { decisions } = this.#state;
    this.#keyring = options.keyring ?? systemKeyring({ env, clock });
    const deadline = questionDeadlineMs === undefined ? {} : { deadlineMs: questionDeadlineMs };
    this.inbox = new Inbox({ clock, newId: randomUUID, state, ...deadline });
    const attended = (caller: Caller) => this.#attended.has(caller.id);
    const sampling = model && new Sampling({ inbox: this.inbox, state, attended, model });
    const asking = { inbox: this.inbox, state, attended, sampling, turns: new Turns(clock) };
    this.#checks = new SchemaChecks({ clock });
    const records = new CallRecords({
      newId: randomUUID,
      elapsed: () => performance.now(),
      state,
      tracing: () => this.#tracing,
      clock,
    });
    this.#calls = new Calls({ ...asking, clock, decisions, pins: new Pins(), checks: this.#checks, records });
    this.#ops = new Ops(asking);
    this.#pool = new Pool({
      processes: this.#processes,
      clock,
      identity: { name: "plugboard", version: VERSION, ids: this.ids },
      strayAsk: (server) => this.#calls.strayAsk(server),
      onRestarted: this.metrics.restarted,
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
      events: (after, signal) => this.events.events(after, signal, (fact) => mayKnow(fact, caller)),
      close: async () => {
        this.#attended.delete(caller.id);
        this.decisions.forget(caller);
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
    const isTaken = () => (this.#inProcess.get(free) ?? server) !== server;
    for (let count = 2; isTaken(); count++) free = `${name}#${count}`;
    this.#inProcess.set(free, server);
    return free;
  }

  /** Forgets the objects that have no definition any more. */
  keepServers(names: ReadonlySet<string>): void {
    for (const name of this.#inProcess.keys()) if (!names.has(name)) this.#inProcess.delete(name);
  }

  async open(spec: WorkspaceSpec): Promise<OpenWorkspace> {
    const env = spec.env ?? this.#env;
    const {
      config: layers,
      managedPath,
      secrets = keyringSecrets(this.#keyring),
      model,
      roots,
      openUrl,
    } = this.#options;
    const { trust } = this.#state;
    const trusts = (server: Parameters<typeof definitionHash>[0]) =>
      trust.isTrusted({ ...server, hash: definitionHash(server) });
    const projectLayers = new ProjectLayers();
    const read = (wanted: WorkspaceSpec) =>
      readConfig(wanted, env, { layers, trusts, projectLayers, ...(managedPath !== undefined && { managedPath }) });
    [this.#tracing] = await Promise.all([this.#tracing ?? Tracing.find(), this.#state.open()]);
    const config = await read(spec);
    const { state } = this.events;
    const port = roots && { id: randomUUID(), roots };
    const folder = new WorkspaceRoots({ folder: spec.cwd, port, state });
    await folder.refresh();
    if (this.#closed) throw new HostError("HOST_CLOSED", {});
    const workspace = new OpenWorkspace({
      spec,
      config,
      read,
      watch: (files, onChange) => watchFiles([...files, ...this.#state.files], () => void this.#changed(onChange)),
      clock: systemClock,
      calls: this.#calls,
      ops: this.#ops,
      inbox: this.inbox,
      trust,
      attended: (caller) => this.#attended.has(caller.id),
      pool: this.#pool,
      env,
      ports: {
        secrets,
        runCommand: ([command, ...args], cwd) => runOnce({ command, args, cwd }, systemClock),
        inProcess: (name) => this.#serverObject(name),
      },
      lends: new Lends(folder, model ? LENT : false),
      logins: this.#knownLogins,
      openUrl,
      state,
    });
    workspace.natives.add(nativeReadOutput((id, range) => this.#state.readOutput(id, range)));
    folder.onChanged(() => workspace.rootsChanged());
    this.#workspaces.set(workspace, folder);
    return workspace;
  }

  bind(workspace: OpenWorkspace, caller: Caller): Workspace {
    const { inbox, events, decisions, history, metrics } = this;
    return bindWorkspace(workspace, {
      caller,
      inbox,
      decisions,
      logins: this.#knownLogins,
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
  async keepOutput(workspace: OpenWorkspace, text: string): Promise<string> {
    const id = await this.#state.keepOutput(text);
    workspace.natives.outputKept();
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
  async #changed(then: () => void): Promise<void> {
    await Promise.all([this.#state.reload(), this.#logins?.reload()]);
    then();
  }

  /** Where they are kept is known once the state is open. */
  get #knownLogins(): Logins {
    const { state } = this.events;
    const store = { file: this.#state.loginFile, keyring: this.#keyring, state };
    const watch = (files: readonly string[], onChange: () => void) => watchFiles(files, onChange);
    return (this.#logins ??= new Logins({ store: new LoginStore(store), clock: systemClock, state, watch }));
  }

  #serverObject(name: string) {
    const object = this.#inProcess.get(name);
    if (!object) return undefined;
    const connect = () => serveInProcess(object, name);
    return { transport: "in-process", id: name, connect } as const;
  }
}

/** What somebody else is asked, and what they answer, is theirs. */
function mayKnow(fact: HostFact, caller: Caller): boolean {
  if (fact.type === "question.asked" || fact.type === "question.settled") return mayAnswer(fact.question, caller);
  return fact.type !== "question.unattended" || sameCaller(fact.owner, caller);
}
