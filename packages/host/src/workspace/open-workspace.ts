/** One folder's view of the host: its servers, its tools and their names, its rules. Knows no caller. */
import { setMaxListeners } from "node:events";
import { HostError, toHostError, Listeners } from "@plugboard/contracts";
import type {
  Caller,
  ConfigProblem,
  JsonObject,
  LogoutReport,
  OfferedTool,
  PendingServer,
  ModelProvider,
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
import type { Calls } from "../calls/calls.ts";
import type { CallerContext, ResolvedCall } from "../calls/resolved-call.ts";
import type { ServerRequests } from "../calls/server-requests.ts";
import { withLogin } from "../calls/with-login.ts";
import type { AskForLogin } from "../calls/with-login.ts";
import { ENTRY_DEFAULTS } from "../config/definition/entry-defaults.ts";
import type { Config } from "../config/read/read-config.ts";
import type { QuestionInbox } from "../inbox/question-inbox.ts";
import type { OpenUrlPort } from "../auth/oauth/interactive-login.ts";
import { NATIVE_SERVER_ID } from "../names/name-table.ts";
import { Policy } from "../policy/policy.ts";
import { toProviderFormat } from "../tools/provider-tool-formats.ts";
import type { ProviderToolFormats } from "../tools/provider-tool-formats.ts";
import { toolOffError } from "../tools/resolved-tool.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolSearch } from "../tools/tool-search.ts";
import type { SearchHit } from "../tools/search-index.ts";
import type { SearchOptions } from "../tools/tool-search.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import { ServerCompletions } from "../catalog/server-completions.ts";
import { ConfigManager } from "./config-manager.ts";
import { LoginPrompts } from "./login-prompts.ts";
import type { LoginRequest } from "./login-prompts.ts";
import { NativeToolVisibility } from "./native-tool-visibility.ts";
import { CrossServerLister } from "../catalog/list-across-servers.ts";
import { ServerPrompts } from "../catalog/server-prompts.ts";
import type { ServerAccess, AccessibleServer } from "../catalog/server-access.ts";
import { ServerResources } from "../catalog/server-resources.ts";
import type { WorkspaceServer } from "./workspace-server.ts";
import { ServerSet } from "./server-set.ts";
import type { ServerChanges, ServerSetOptions } from "./server-set.ts";
import { ToolFilters } from "./tool-filters.ts";
import { TrustPrompts } from "../trust/trust-prompts.ts";
import { untrustedError, untrustedServers } from "../trust/untrusted-servers.ts";
import { throwIfInvalidServerId, validateServerIds } from "./validate-server-ids.ts";

export type OpenWorkspaceOptions = Omit<ServerSetOptions, "onCatalogChange" | "onRemoved"> & {
  readonly spec: WorkspaceSpec;
  readonly config: Config;
  readonly read: (spec: WorkspaceSpec) => Promise<Config>;
  /** Tells, until it is stopped, when one of the files may hold something else. */
  readonly watch: (files: readonly string[], onChange: () => void) => { stop(): void };
  readonly clock: Clock;
  readonly calls: Calls;
  readonly ops: ServerRequests;
  readonly inbox: QuestionInbox;
  readonly trust: TrustStore;
  /** Whether somebody is there to answer for that caller. */
  readonly attended: (caller: Caller) => boolean;
  readonly openUrl?: OpenUrlPort | undefined;
};

export class OpenWorkspace {
  readonly resources: ServerResources;
  readonly prompts: ServerPrompts;
  readonly completions: ServerCompletions;
  readonly nativeTools: NativeToolVisibility;

  readonly #options: OpenWorkspaceOptions;
  readonly #config: ConfigManager;
  readonly #servers: ServerSet;
  readonly #registry: ToolRegistry;
  readonly #toolFilters: ToolFilters;
  readonly #search: ToolSearch;
  readonly #trustPrompts: TrustPrompts;
  readonly #loginPrompts: LoginPrompts;
  readonly #toolListeners = new Listeners();
  readonly #released = new AbortController();
  #policy: Policy;
  #lastChanges: ServerChanges = { added: [], removed: [], changed: [] };
  #started: Promise<StartReport> | undefined;
  #watcher: { stop(): void } | undefined;
  #watchedFiles: readonly string[] = [];

  constructor(options: OpenWorkspaceOptions) {
    const { spec, config, read, emit, clock, ops, inbox, trust, attended, openUrl } = options;
    // As many wait for it as there are questions.
    setMaxListeners(0, this.#released.signal);
    this.#options = options;
    this.#registry = new ToolRegistry(config.naming);
    this.#toolFilters = new ToolFilters(spec.exclude);
    this.#search = new ToolSearch(this.#registry);
    this.#policy = new Policy(config.rules);
    this.#loginPrompts = new LoginPrompts({ inbox, emit, attended, openUrl, released: this.#released.signal });
    this.#servers = new ServerSet({
      ...options,
      onCatalogChange: (server) => this.#updateCatalog(server),
      onRemoved: (id) => {
        this.#registry.remove(id);
        this.nativeTools.onServersChange(this.#visibleServers());
      },
    });
    const onConfigError = (error: HostError) => emit({ type: "config.refused", error: error.toJSON() });
    this.#config = new ConfigManager(spec, config, {
      read,
      apply: (next) => this.#apply(next),
      onError: onConfigError,
    });
    this.#trustPrompts = new TrustPrompts({
      trust,
      inbox,
      emit,
      activeServer: (id) => this.#servers.find(id)?.configured,
      pending: () => this.#config.current.pending,
      onChanged: () => this.reload(),
      released: this.#released.signal,
    });
    const access: ServerAccess = {
      all: () => this.#accessibleServers(),
      get: (id, method) => this.#accessServer(id, method),
    };
    const lister = new CrossServerLister({ access, clock });
    this.resources = new ServerResources({ access, lister, requests: ops });
    this.prompts = new ServerPrompts({ access, lister, requests: ops });
    this.completions = new ServerCompletions({ access, requests: ops });
    const modelAccess: ServerAccess = { ...access, get: (id, method) => this.#accessVisibleServer(id, method) };
    const modelPorts = {
      access: modelAccess,
      lister: new CrossServerLister({ access: modelAccess, clock }),
      requests: ops,
    };
    const nativeToolPorts = { resources: new ServerResources(modelPorts), prompts: new ServerPrompts(modelPorts) };
    this.nativeTools = new NativeToolVisibility(this.#registry, nativeToolPorts);
    this.#registry.onChanged(() => this.#notifyToolsChanged());
    this.#servers.apply(config.servers.values());
    this.#registry.setOrder([...config.servers.keys()]);
  }

  status(): ServerStatus[] {
    const untrusted = this.#untrustedServers().map(({ config: _config, offered: _offered, ...status }) => status);
    return [...[...this.#servers.all()].map((server) => this.#withNameCollisions(server.status())), ...untrusted];
  }

  /** So that a status can tell of them: reading what is kept takes its time. */
  async loadLogins(): Promise<void> {
    this.status();
    await this.#options.logins.load();
  }

  detail(id: string): ServerDetail {
    const untrusted = this.#untrustedServers().find((server) => server.id === id);
    return untrusted ?? this.#withNameCollisions(this.#server(id).detail());
  }

  problems(): ConfigProblem[] {
    return this.#config.problems();
  }

  /** From now on the files are watched, too. */
  start(signal?: AbortSignal): Promise<StartReport> {
    this.#trustPrompts.askAll();
    this.#loginPrompts.start(this.#servers.all());
    this.#watch();
    this.#started = this.#startAll(signal);
    return this.#started;
  }

  /** Resolves when what was started is ready or has failed; at once if nothing was. */
  async whenStarted(): Promise<void> {
    await this.#started;
  }

  async connect(id: string, { signal, definition, caller }: ServerConnectOptions = {}): Promise<ServerStatus> {
    this.#throwIfReleased();
    if (definition) throwIfInvalidServerId(id);
    if (definition)
      await this.#config.updateSpec((spec) => ({ ...spec, servers: { ...spec.servers, [id]: definition } }));
    await this.#ensureTrusted(id, caller, signal);
    const connect = () => this.#servers.connect(id, signal);
    const askForLogin: AskForLogin = (error, context) => this.#loginPrompts.askCaller(this.#server(id), error, context);
    return caller ? withLogin(askForLogin, { caller, signal }, connect) : connect();
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
  async login(id: string, request: LoginRequest): Promise<ServerStatus> {
    this.#throwIfReleased();
    if (request.method !== undefined && request.method !== "browser" && request.method !== "device") {
      throw new HostError("USAGE", { message: "a login is by browser or device" });
    }
    await this.#ensureTrusted(id, request.caller, request.signal);
    await this.#loginPrompts.logIn(this.#server(id), request);
    return this.#servers.connect(id, request.signal);
  }

  /** Also of one that is only kept, under that label. */
  async logout(id: string): Promise<LogoutReport> {
    this.#throwIfReleased();
    const known = this.#servers.find(id) ?? this.#config.current.pending.find((one) => one.id === id);
    const report = known ? undefined : await this.#options.logins.logOutByLabel(id);
    return report ?? this.#loginPrompts.logOut(this.#server(id));
  }

  async setServers(servers: { readonly [id: string]: ServerEntry }): Promise<SetServersResult> {
    this.#throwIfReleased();
    await this.#config.updateSpec((spec) => ({ ...spec, servers }));
    this.#throwIfReleased();
    const { added, removed, changed } = this.#lastChanges;
    const { errors } = await this.#servers.start([...added, ...changed].map((id) => this.#server(id)));
    return { added, removed, changed, errors: { ...validateServerIds(servers), ...errors } };
  }

  reload(): Promise<void> {
    return this.#config.reload();
  }

  pending(): PendingServer[] {
    return this.#trustPrompts.pending();
  }

  trust(id: string, hash: string): Promise<void> {
    return this.#trustPrompts.grant(id, hash);
  }

  /** Also of one whose definition has changed since, and waits: should the old one come back, it is asked about. */
  async distrust(id: string): Promise<void> {
    const pending = this.#config.current.pending.findLast((server) => server.id === id);
    await this.#trustPrompts.revoke(this.#servers.find(id)?.configured ?? pending ?? this.#server(id).configured);
  }

  /** What the model may see: a tool that is denied whatever its arguments is not offered. */
  tools(): OfferedTool[] {
    // A list that has grown too old is listed again meanwhile.
    for (const { connection } of this.#servers.all()) connection?.tools();
    return this.#registry.list().filter((tool) => !this.#policy.isAlwaysDenied(tool));
  }

  async search(query: string, options?: SearchOptions): Promise<SearchHit[]> {
    const hits = await this.#search.search(query, options);
    return hits.filter(({ tool }) => !this.#policy.isAlwaysDenied(tool));
  }

  definitions<P extends ModelProvider>(provider: P): ProviderToolFormats[P] {
    return toProviderFormat(provider, this.tools());
  }

  toggleTool(ref: ToolRef, on: boolean): void {
    const found = this.#registry.find(ref);
    if (!found) throw this.#toolNotFound(ref);
    if (found.native) this.nativeTools.setEnabled(found.tool, on);
    this.#registry.toggle(found, on);
  }

  /** Whether it is one of the host's or the program's own, not of a server. */
  isNative(ref: ToolRef): boolean {
    return this.#registry.find(ref)?.native !== undefined;
  }

  /** As people see it: `server:tool`. */
  displayName(ref: ToolRef): string {
    const { server, tool } = this.#registry.find(ref) ?? this.#parseRef(ref);
    return `${server}:${tool}`;
  }

  /** How much of a result of that tool a model gets to see. */
  resultLimitBytes(ref: ToolRef): number {
    const id = (this.#registry.find(ref) ?? this.#parseRef(ref)).server;
    const server = this.#servers.find(id);
    return server ? server.definition.resultLimitBytes : ENTRY_DEFAULTS.resultLimitBytes;
  }

  async call(ref: ToolRef, args: JsonObject, context: CallerContext): Promise<ToolResult> {
    const call = this.#prepareCall(ref, args, context);
    // What is awaited here comes back sooner than what is only returned.
    return await this.#options.calls.call(call instanceof Promise ? await call : call, context);
  }

  /** Undriven: what the server asks comes back as an outcome. */
  async request(ref: ToolRef, args: JsonObject, context: CallerContext, resumed?: Resumed): Promise<Outcome> {
    try {
      return await this.#options.calls.request({ ...(await this.#prepareCall(ref, args, context)), resumed }, context);
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  /** Tells when what is offered may have changed. */
  onToolsChanged(listener: () => void): () => void {
    return this.#toolListeners.add(listener);
  }

  /** Returns the ids of all hosts reachable through the servers. */
  reachableHostIds(): readonly string[] {
    return [...new Set([...this.#servers.all()].flatMap(({ connection }) => connection?.instances ?? []))];
  }

  rootsChanged(): void {
    for (const server of this.#servers.all()) server.rootsChanged();
  }

  /** For good: questions are withdrawn, and nothing is started any more. */
  async release(): Promise<void> {
    this.#watcher?.stop();
    this.#released.abort();
    await this.#servers.release();
  }

  async #apply(config: Config): Promise<void> {
    if (this.#released.signal.aborted) return;
    this.#policy = new Policy(config.rules);
    this.#registry.setNaming(config.naming);
    const { applied, released } = this.#servers.apply(config.servers.values());
    const { added, removed, changed } = (this.#lastChanges = applied);
    this.#registry.setOrder([...config.servers.keys()]);
    this.nativeTools.onServersChange(this.#visibleServers());
    if (added.length + removed.length + changed.length > 0) {
      this.#options.emit({ type: "config.changed", added, removed, changed });
    }
    this.#trustPrompts.onConfigChange();
    if (this.#started) {
      this.#trustPrompts.askAll();
      this.#watch();
      this.#startInBackground(added);
    }
    await released;
    // Only now: what is run in the place of another may need what that one held.
    if (this.#started) this.#startInBackground(changed);
  }

  /** Who waits for the config does not wait for the servers. */
  #startInBackground(ids: readonly string[]): void {
    if (this.#released.signal.aborted) return;
    void this.#servers.start(ids.flatMap((id) => this.#servers.find(id) ?? []));
  }

  async #startAll(signal: AbortSignal | undefined): Promise<StartReport> {
    const invalid = validateServerIds(this.#config.spec.servers);
    const { ready, errors } = await this.#servers.start([...this.#servers.all()], signal);
    return { ready, errors: { ...invalid, ...errors } };
  }

  /** What was read before it was watched may have changed in between: it is read once more. */
  #watch(): void {
    const { files } = this.#config.current;
    if (this.#released.signal.aborted || this.#watchedFiles.join("\n") === files.join("\n")) return;
    this.#watcher?.stop();
    this.#watchedFiles = files;
    this.#watcher = this.#options.watch(files, () => void this.reload());
    void this.reload();
  }

  #prepareCall(ref: ToolRef, args: JsonObject, context: CallerContext): ResolvedCall | Promise<ResolvedCall> {
    this.#throwIfReleased();
    const found = this.#registry.find(ref);
    const { server: id, tool } = found ?? this.#parseRef(ref);
    const hiddenUntilNeeded = found?.native !== undefined && this.nativeTools.isHiddenUntilNeeded(tool);
    if (found?.excluded || (found?.disabled && !hiddenUntilNeeded)) throw toolOffError(found);
    if (id === NATIVE_SERVER_ID) return this.#resolvedCall(id, tool, args, undefined, undefined);
    const server = this.#servers.find(id);
    if (!server)
      return this.#ensureTrusted(id, context.caller, context.signal).then(() => this.#prepareCall(ref, args, context));
    const connection = server.lease();
    if (connection instanceof Promise) {
      return connection.then((leased) => this.#resolvedCall(id, tool, args, server, leased));
    }
    return this.#resolvedCall(id, tool, args, server, connection);
  }

  #resolvedCall(
    id: string,
    tool: string,
    args: JsonObject,
    server: WorkspaceServer | undefined,
    connection: Connection | undefined,
  ): ResolvedCall {
    const pair = { server: id, tool };
    const known = !connection || connection.state.phase === "ready";
    if (known && !this.#registry.find(pair)) throw this.#toolNotFound(pair);
    const definition = server?.definition;
    // Nothing is spread into it: that costs as much as the rest of the way to the server.
    return {
      server: id,
      tool,
      arguments: args,
      find: () => this.#registry.find(pair),
      connection,
      askForLogin: server && this.#askForLogin(server),
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
  #parseRef(ref: ToolRef): { readonly server: string; readonly tool: string } {
    if (typeof ref !== "string") return ref;
    const colon = ref.indexOf(":");
    if (colon < 0) throw this.#toolNotFound(ref);
    return { server: ref.slice(0, colon), tool: ref.slice(colon + 1) };
  }

  /** Throws SERVER_UNKNOWN, or SERVER_UNTRUSTED unless whoever asks agrees to it now. */
  async #ensureTrusted(id: string, caller: Caller | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (this.#servers.find(id)) return;
    // A conversation could not answer.
    const owner = caller && caller.kind !== "chat" && this.#options.attended(caller) ? caller : undefined;
    await this.#trustPrompts.ensureTrusted(id, owner, signal);
    this.#servers.get(id);
  }

  /** Throws SERVER_UNTRUSTED for one that waits, SERVER_UNKNOWN for one that there is not. */
  #server(id: string): WorkspaceServer {
    const pending = this.#servers.find(id) ? undefined : this.#config.current.pending.find((one) => one.id === id);
    if (pending) throw untrustedError(pending);
    return this.#servers.get(id);
  }

  #throwIfReleased(): void {
    if (this.#released.signal.aborted) throw new HostError("HOST_CLOSED", {});
  }

  *#accessibleServers(): Iterable<AccessibleServer> {
    for (const server of this.#visibleServers()) yield this.#toAccessibleServer(server);
  }

  #accessServer(id: string, method: string): AccessibleServer {
    const accessible = this.#toAccessibleServer(this.#server(id));
    const rule = this.#policy.findServerDenial(id);
    if (rule) throw new HostError("TOOL_DENIED", { server: id, tool: method, by: `rule ${rule.text}` });
    return accessible;
  }

  /** A model gets at nothing that was switched off, and brings nothing back. */
  #accessVisibleServer(id: string, method: string): AccessibleServer {
    const accessible = this.#accessServer(id, method);
    if (!isVisible(this.#server(id))) throw new HostError("SERVER_DISABLED", { server: id });
    return accessible;
  }

  *#visibleServers(): Iterable<WorkspaceServer> {
    for (const server of this.#servers.all()) {
      if (isVisible(server) && !this.#policy.findServerDenial(server.id)) yield server;
    }
  }

  #toAccessibleServer(server: WorkspaceServer): AccessibleServer {
    return {
      id: server.id,
      timeouts: server.timeouts,
      sampling: server.definition.sampling,
      connection: () => server.lease(),
      askForLogin: this.#askForLogin(server),
    };
  }

  #askForLogin(server: WorkspaceServer): AskForLogin {
    return (error, context) => this.#loginPrompts.askCaller(server, error, context);
  }

  #updateCatalog(server: WorkspaceServer): void {
    // One that another stands for now has nothing to say any more.
    if (this.#servers.find(server.id) !== server) return;
    this.#loginPrompts.onServerChange(server);
    const { connection } = server;
    const version = connection?.session?.serverInfo.serverVersion;
    const offer = connection?.catalogAvailable && {
      catalog: connection.catalog,
      filter: this.#toolFilters.filterFor(server),
      version,
    };
    this.#registry.update(server.id, offer || undefined);
    this.nativeTools?.onServersChange(this.#visibleServers());
  }

  /** What its server offers and has no name here is told with what can't be used. */
  #withNameCollisions<Status extends ServerStatus>(status: Status): Status {
    const collisions = this.#registry.collisions().filter(({ server }) => server === status.id);
    if (collisions.length === 0) return status;
    const dropped = collisions.map(({ tool, reason }) => ({ tool, reason }));
    return { ...status, droppedTools: [...(status.droppedTools ?? []), ...dropped] };
  }

  #notifyToolsChanged(): void {
    this.#toolListeners.emit();
  }

  #untrustedServers(): ServerDetail[] {
    return untrustedServers(this.#config.current.pending, (id) => this.#servers.find(id) !== undefined);
  }

  #toolNotFound(ref: ToolRef): HostError {
    const tool = typeof ref === "string" ? ref : `${ref.server}:${ref.tool}`;
    const suggestion = this.#registry.suggest(ref);
    return new HostError("TOOL_NOT_FOUND", { tool, ...(suggestion !== undefined && { suggestion }) });
  }
}

export interface ServerConnectOptions {
  readonly definition?: ServerEntry | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Who may be asked for consent to what a project defines. */
  readonly caller?: Caller | undefined;
}

function isVisible({ enabled, hidden, released }: WorkspaceServer): boolean {
  return enabled && !hidden && !released;
}
