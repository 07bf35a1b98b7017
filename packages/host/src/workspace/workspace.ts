/** One folder's view of the host: its servers, its tools and their names, its rules. Knows no caller. */
import { setMaxListeners } from "node:events";
import { HostError, toHostError } from "@plugboard/contracts";
import type {
  Caller,
  ConfigProblem,
  JsonObject,
  LogoutReport,
  OfferedTool,
  PendingServer,
  Provider,
  ServerDetail,
  ServerEntry,
  ServerStatus,
  SetServersResult,
  StartReport,
  ToolRef,
  ToolResult,
  WorkspaceSpec,
} from "@plugboard/contracts";
import type { Clock, Connection, Outcome, Resumed } from "@plugboard/mcp";
import { MAX_LOGINS } from "../calls/calls.ts";
import type { CallBy, Calls, ResolvedCall } from "../calls/calls.ts";
import type { Ops } from "../calls/ops.ts";
import { ENTRY_DEFAULTS } from "../config/entry-defaults.ts";
import type { Config } from "../config/read-config.ts";
import type { Inbox } from "../inbox/inbox.ts";
import type { OpenUrlPort } from "../login/asking.ts";
import { NATIVE } from "../names/name-table.ts";
import { Policy } from "../policy/policy.ts";
import { definitions } from "../tools/definitions.ts";
import type { Definitions } from "../tools/definitions.ts";
import { toolOff } from "../tools/found-tool.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { ToolSearch } from "../tools/search.ts";
import type { SearchHit, SearchOptions } from "../tools/search.ts";
import type { Trust } from "../trust/trust.ts";
import { Completions } from "./completion.ts";
import { KeptConfig } from "./kept-config.ts";
import { LoginOffers } from "./login-offers.ts";
import type { LoginBy } from "./login-offers.ts";
import { NativeOffer } from "./native-offer.ts";
import { OverAllServers } from "./over-all-servers.ts";
import { Prompts } from "./prompts.ts";
import type { Reach, ReachedServer } from "./reach.ts";
import { Resources } from "./resources.ts";
import type { WorkspaceServer } from "./server.ts";
import { Servers } from "./servers.ts";
import type { Applied, ServersOptions } from "./servers.ts";
import { ToolViews } from "./tool-views.ts";
import { Trusting } from "./trusting.ts";
import { untrusted, waitingServers } from "./waiting-servers.ts";
import { throwIfWrong, wrongIds } from "./wrong-ids.ts";

export type OpenWorkspaceOptions = Omit<ServersOptions, "onOffer" | "onGone" | "onLoginWanted"> & {
  readonly spec: WorkspaceSpec;
  readonly config: Config;
  readonly read: (spec: WorkspaceSpec) => Promise<Config>;
  /** Tells, until it is stopped, when one of the files may hold something else. */
  readonly watch: (files: readonly string[], onChange: () => void) => { stop(): void };
  readonly clock: Clock;
  readonly calls: Calls;
  readonly ops: Ops;
  readonly inbox: Inbox;
  readonly trust: Trust;
  /** Whether somebody is there to answer for that caller. */
  readonly attended: (caller: Caller) => boolean;
  readonly openUrl?: OpenUrlPort | undefined;
};

export class OpenWorkspace {
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly completions: Completions;
  readonly natives: NativeOffer;

  readonly #options: OpenWorkspaceOptions;
  readonly #config: KeptConfig;
  readonly #servers: Servers;
  readonly #registry: ToolRegistry;
  readonly #views: ToolViews;
  readonly #search: ToolSearch;
  readonly #trusting: Trusting;
  readonly #loginOffers: LoginOffers;
  readonly #listeners = new Set<() => void>();
  readonly #released = new AbortController();
  #policy: Policy;
  #applied: Applied = { added: [], removed: [], changed: [] };
  #started: Promise<StartReport> | undefined;
  #watching: { stop(): void } | undefined;
  #watched: readonly string[] = [];

  constructor(options: OpenWorkspaceOptions) {
    const { spec, config, read, state, clock, ops, inbox, trust, attended, openUrl } = options;
    // As many wait for it as there are questions.
    setMaxListeners(0, this.#released.signal);
    this.#options = options;
    this.#registry = new ToolRegistry({ naming: config.naming });
    this.#views = new ToolViews(spec.exclude);
    this.#search = new ToolSearch(this.#registry);
    this.#policy = new Policy(config.rules);
    this.#loginOffers = new LoginOffers({ inbox, state, attended, openUrl, released: this.#released.signal });
    this.#servers = new Servers({
      ...options,
      onLoginWanted: (server, error, by) => this.#loginOffers.met(server, error, by),
      onOffer: (server) => this.#offered(server),
      onGone: (id) => {
        this.#registry.remove(id);
        this.natives.heed(this.#inUse());
      },
    });
    const onRefused = (error: HostError) => state({ type: "config.refused", error: error.toJSON() });
    this.#config = new KeptConfig(spec, config, { read, apply: (next) => this.#apply(next), onRefused });
    this.#trusting = new Trusting({
      trust,
      inbox,
      state,
      inEffect: (id) => this.#servers.find(id)?.configured,
      pending: () => this.#config.current.pending,
      onChanged: () => this.reload(),
      released: this.#released.signal,
    });
    const reach: Reach = { servers: () => this.#reached(), one: (id, method) => this.#reach(id, method) };
    const over = new OverAllServers({ reach, clock });
    this.resources = new Resources({ reach, over, ops });
    this.prompts = new Prompts({ reach, over, ops });
    this.completions = new Completions({ reach, ops });
    const forModel: Reach = { ...reach, one: (id, method) => this.#reachInUse(id, method) };
    const shown = { reach: forModel, over: new OverAllServers({ reach: forModel, clock }), ops };
    const parts = { resources: new Resources(shown), prompts: new Prompts(shown) };
    this.natives = new NativeOffer(this.#registry, parts);
    this.#registry.onChanged(() => this.#tell());
    this.#servers.apply(config.servers.values());
    this.#registry.setOrder([...config.servers.keys()]);
  }

  status(): ServerStatus[] {
    const waiting = this.#waiting().map(({ config: _config, offered: _offered, ...status }) => status);
    return [...[...this.#servers.all()].map((server) => this.#withNameless(server.status())), ...waiting];
  }

  /** So that a status can tell of them: reading what is kept takes its time. */
  async knowLogins(): Promise<void> {
    this.status();
    await this.#options.logins.load();
  }

  detail(id: string): ServerDetail {
    const waiting = this.#waiting().find((server) => server.id === id);
    return waiting ?? this.#withNameless(this.#server(id).detail());
  }

  problems(): ConfigProblem[] {
    return this.#config.problems();
  }

  /** From now on the files are watched, too. */
  start(signal?: AbortSignal): Promise<StartReport> {
    this.#trusting.askAll();
    this.#loginOffers.open(this.#servers.all());
    this.#watch();
    this.#started = this.#startAll(signal);
    return this.#started;
  }

  /** Resolves when what was started is ready or has failed; at once if nothing was. */
  async started(): Promise<void> {
    await this.#started;
  }

  async connect(id: string, { signal, definition, caller }: ConnectBy = {}): Promise<ServerStatus> {
    this.#throwIfReleased();
    if (definition) throwIfWrong(id);
    if (definition) await this.#config.change((spec) => ({ ...spec, servers: { ...spec.servers, [id]: definition } }));
    await this.#trusted(id, caller, signal);
    for (let logins = 0; ; logins++) {
      try {
        return await this.#servers.connect(id, signal);
      } catch (thrown) {
        const error = toHostError(thrown);
        if (error.code !== "AUTH_REQUIRED" || !caller || logins === MAX_LOGINS) throw error;
        if (!(await this.#server(id).logIn(error, { caller, signal }))) throw error;
      }
    }
  }

  async disconnect(id: string): Promise<void> {
    const released = this.#server(id).release();
    // Whoever wants it again names it; a model that still knows the names of its tools does not bring it back.
    this.#registry.remove(id);
    await released;
  }

  async reconnect(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#servers.reconnect(this.#server(id).id, signal);
  }

  async refresh(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    return this.#servers.refresh(this.#server(id).id, signal);
  }

  toggle(id: string, on: boolean): ServerStatus {
    const server = this.#server(id);
    server.toggle(on);
    return server.status();
  }

  /** And connects. */
  async login(id: string, by: LoginBy): Promise<ServerStatus> {
    this.#throwIfReleased();
    if (by.how !== undefined && by.how !== "browser" && by.how !== "device") {
      throw new HostError("USAGE", { what: "a login is by browser or device" });
    }
    await this.#trusted(id, by.caller, by.signal);
    await this.#loginOffers.logIn(this.#server(id), by);
    return this.#servers.connect(id, by.signal);
  }

  /** Also of one that is only kept, under that label. */
  async logout(id: string): Promise<LogoutReport> {
    this.#throwIfReleased();
    const known = this.#servers.find(id) ?? this.#config.current.pending.find((one) => one.id === id);
    const kept = known ? undefined : await this.#options.logins.logOutKept(id);
    return kept ?? this.#loginOffers.logOut(this.#server(id));
  }

  async setServers(servers: { readonly [id: string]: ServerEntry }): Promise<SetServersResult> {
    this.#throwIfReleased();
    await this.#config.change((spec) => ({ ...spec, servers }));
    this.#throwIfReleased();
    const { added, removed, changed } = this.#applied;
    const { errors } = await this.#servers.start([...added, ...changed].map((id) => this.#server(id)));
    return { added, removed, changed, errors: { ...wrongIds(servers), ...errors } };
  }

  reload(): Promise<void> {
    return this.#config.reload();
  }

  pending(): PendingServer[] {
    return this.#trusting.pending();
  }

  trust(id: string, hash: string): Promise<void> {
    return this.#trusting.grant(id, hash);
  }

  /** Also of one whose definition has changed since, and waits: should the old one come back, it is asked about. */
  async distrust(id: string): Promise<void> {
    const waiting = this.#config.current.pending.findLast((server) => server.id === id);
    await this.#trusting.revoke(this.#servers.find(id)?.configured ?? waiting ?? this.#server(id).configured);
  }

  /** What the model may see: a tool that is denied whatever its arguments is not offered. */
  tools(): OfferedTool[] {
    // A list that has grown too old is listed again meanwhile.
    for (const { connection } of this.#servers.all()) connection?.tools();
    return this.#registry.list().filter((tool) => !this.#policy.deniedOutright(tool));
  }

  async search(query: string, options?: SearchOptions): Promise<SearchHit[]> {
    const hits = await this.#search.search(query, options);
    return hits.filter(({ tool }) => !this.#policy.deniedOutright(tool));
  }

  definitions<P extends Provider>(provider: P): Definitions[P] {
    return definitions(provider, this.tools());
  }

  toggleTool(ref: ToolRef, on: boolean): void {
    const found = this.#registry.find(ref);
    if (!found) throw this.#noTool(ref);
    if (found.native) this.natives.switch(found.tool, on);
    this.#registry.toggle(found, on);
  }

  /** Whether it is one of the host's or the program's own, not of a server. */
  isNative(ref: ToolRef): boolean {
    return this.#registry.find(ref)?.native !== undefined;
  }

  /** As people see it: `server:tool`. */
  displayName(ref: ToolRef): string {
    const { server, tool } = this.#registry.find(ref) ?? this.#pair(ref);
    return `${server}:${tool}`;
  }

  /** How much of a result of that tool a model gets to see. */
  resultLimitBytes(ref: ToolRef): number {
    const id = (this.#registry.find(ref) ?? this.#pair(ref)).server;
    const server = this.#servers.find(id);
    return server ? server.definition.resultLimitBytes : ENTRY_DEFAULTS.resultLimitBytes;
  }

  async call(ref: ToolRef, args: JsonObject, by: CallBy): Promise<ToolResult> {
    const call = this.#prepare(ref, args, by);
    // What is awaited here comes back sooner than what is only returned.
    return await this.#options.calls.call(call instanceof Promise ? await call : call, by);
  }

  /** Undriven: what the server asks comes back as an outcome. */
  async request(ref: ToolRef, args: JsonObject, by: CallBy, resumed?: Resumed): Promise<Outcome> {
    try {
      return await this.#options.calls.request({ ...(await this.#prepare(ref, args, by)), resumed }, by);
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  /** Tells when what is offered may have changed. */
  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns the ids of all hosts reachable through the servers. */
  instances(): readonly string[] {
    return [...new Set([...this.#servers.all()].flatMap(({ connection }) => connection?.instances ?? []))];
  }

  rootsChanged(): void {
    for (const server of this.#servers.all()) server.rootsChanged();
  }

  /** For good: questions are withdrawn, and nothing is started any more. */
  async release(): Promise<void> {
    this.#watching?.stop();
    this.#released.abort();
    await this.#servers.release();
  }

  async #apply(config: Config): Promise<void> {
    if (this.#released.signal.aborted) return;
    this.#policy = new Policy(config.rules);
    this.#registry.setNaming(config.naming);
    const { applied, released } = this.#servers.apply(config.servers.values());
    const { added, removed, changed } = (this.#applied = applied);
    this.#registry.setOrder([...config.servers.keys()]);
    this.natives.heed(this.#inUse());
    if (added.length + removed.length + changed.length > 0) {
      this.#options.state({ type: "config.changed", added, removed, changed });
    }
    this.#trusting.heed();
    if (this.#started) {
      this.#trusting.askAll();
      this.#watch();
      this.#startAside(added);
    }
    await released;
    // Only now: what is run in the place of another may need what that one held.
    if (this.#started) this.#startAside(changed);
  }

  /** Who waits for the config does not wait for the servers. */
  #startAside(ids: readonly string[]): void {
    if (this.#released.signal.aborted) return;
    void this.#servers.start(ids.flatMap((id) => this.#servers.find(id) ?? []));
  }

  async #startAll(signal: AbortSignal | undefined): Promise<StartReport> {
    const wrong = wrongIds(this.#config.spec.servers);
    const { ready, errors } = await this.#servers.start([...this.#servers.all()], signal);
    return { ready, errors: { ...wrong, ...errors } };
  }

  /** What was read before it was watched may have changed in between: it is read once more. */
  #watch(): void {
    const { files } = this.#config.current;
    if (this.#released.signal.aborted || this.#watched.join("\n") === files.join("\n")) return;
    this.#watching?.stop();
    this.#watched = files;
    this.#watching = this.#options.watch(files, () => void this.reload());
    void this.reload();
  }

  #prepare(ref: ToolRef, args: JsonObject, by: CallBy): ResolvedCall | Promise<ResolvedCall> {
    this.#throwIfReleased();
    const found = this.#registry.find(ref);
    const { server: id, tool } = found ?? this.#pair(ref);
    const dormant = found?.native !== undefined && this.natives.isDormant(tool);
    if (found?.excluded || (found?.off && !dormant)) throw toolOff(found);
    if (id === NATIVE) return this.#resolved(id, tool, args, undefined, undefined);
    const server = this.#servers.find(id);
    if (!server) return this.#trusted(id, by.caller, by.signal).then(() => this.#prepare(ref, args, by));
    const connection = server.lease();
    if (connection instanceof Promise) {
      return connection.then((leased) => this.#resolved(id, tool, args, server, leased));
    }
    return this.#resolved(id, tool, args, server, connection);
  }

  #resolved(
    id: string,
    tool: string,
    args: JsonObject,
    server: WorkspaceServer | undefined,
    connection: Connection | undefined,
  ): ResolvedCall {
    const pair = { server: id, tool };
    const known = !connection || connection.state.phase === "ready";
    if (known && !this.#registry.find(pair)) throw this.#noTool(pair);
    const definition = server?.definition;
    // Nothing is spread into it: that costs as much as the rest of the way to the server.
    return {
      server: id,
      tool,
      arguments: args,
      find: () => this.#registry.find(pair),
      connection,
      logIn: server?.logIn,
      policy: () => this.#policy,
      definitionHash: server?.definitionHash ?? "",
      trustsAnnotations: definition?.trustAnnotations ?? false,
      sampling: definition?.sampling ?? false,
      released: this.#released.signal,
      timeoutMs: definition?.requestTimeoutMs ?? 0,
      maxMs: definition?.maxTimeoutMs ?? 0,
    };
  }

  /** A name that stands for nothing can still be `server:tool` of a server that was never started. */
  #pair(ref: ToolRef): { readonly server: string; readonly tool: string } {
    if (typeof ref !== "string") return ref;
    const colon = ref.indexOf(":");
    if (colon < 0) throw this.#noTool(ref);
    return { server: ref.slice(0, colon), tool: ref.slice(colon + 1) };
  }

  /** Throws SERVER_UNKNOWN, or SERVER_UNTRUSTED unless whoever asks agrees to it now. */
  async #trusted(id: string, caller: Caller | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (this.#servers.find(id)) return;
    // A conversation could not answer.
    const owner = caller && caller.kind !== "chat" && this.#options.attended(caller) ? caller : undefined;
    await this.#trusting.want(id, owner, signal);
    this.#servers.get(id);
  }

  /** Throws SERVER_UNTRUSTED for one that waits, SERVER_UNKNOWN for one that there is not. */
  #server(id: string): WorkspaceServer {
    const waiting = this.#servers.find(id) ? undefined : this.#config.current.pending.find((one) => one.id === id);
    if (waiting) throw untrusted(waiting);
    return this.#servers.get(id);
  }

  #throwIfReleased(): void {
    if (this.#released.signal.aborted) throw new HostError("HOST_CLOSED", {});
  }

  *#reached(): Iterable<ReachedServer> {
    for (const server of this.#inUse()) yield reachedServer(server);
  }

  #reach(id: string, method: string): ReachedServer {
    const reached = reachedServer(this.#server(id));
    const rule = this.#policy.deniesServer(id);
    if (rule) throw new HostError("TOOL_DENIED", { server: id, tool: method, by: `rule ${rule.text}` });
    return reached;
  }

  /** A model gets at nothing that was switched off, and brings nothing back. */
  #reachInUse(id: string, method: string): ReachedServer {
    const reached = this.#reach(id, method);
    if (!isInUse(this.#server(id))) throw new HostError("SERVER_DISABLED", { server: id });
    return reached;
  }

  *#inUse(): Iterable<WorkspaceServer> {
    for (const server of this.#servers.all()) {
      if (isInUse(server) && !this.#policy.deniesServer(server.id)) yield server;
    }
  }

  #offered(server: WorkspaceServer): void {
    // One that another stands for now has nothing to say any more.
    if (this.#servers.find(server.id) !== server) return;
    this.#loginOffers.heed(server);
    const { connection } = server;
    const version = connection?.session?.facts.serverVersion;
    const offer = connection?.offering && { catalog: connection.catalog, view: this.#views.of(server), version };
    this.#registry.update(server.id, offer || undefined);
    this.natives?.heed(this.#inUse());
  }

  /** What its server offers and has no name here is told with what can't be used. */
  #withNameless<Status extends ServerStatus>(status: Status): Status {
    const nameless = this.#registry.collisions().filter(({ server }) => server === status.id);
    if (nameless.length === 0) return status;
    const dropped = nameless.map(({ tool, reason }) => ({ tool, reason }));
    return { ...status, dropped_tools: [...(status.dropped_tools ?? []), ...dropped] };
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #waiting(): ServerDetail[] {
    return waitingServers(this.#config.current.pending, (id) => this.#servers.find(id) !== undefined);
  }

  #noTool(ref: ToolRef): HostError {
    const tool = typeof ref === "string" ? ref : `${ref.server}:${ref.tool}`;
    const near = this.#registry.near(ref);
    return new HostError("TOOL_NOT_FOUND", { tool, ...(near !== undefined && { near }) });
  }
}

export interface ConnectBy {
  readonly definition?: ServerEntry | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Who may be asked for consent to what a project defines. */
  readonly caller?: Caller | undefined;
}

function isInUse({ enabled, hidden, left }: WorkspaceServer): boolean {
  return enabled && !hidden && !left;
}

function reachedServer(server: WorkspaceServer): ReachedServer {
  return {
    id: server.id,
    timeouts: server.timeouts,
    sampling: server.definition.sampling,
    connection: () => server.lease(),
    logIn: server.logIn,
  };
}
