/**
 * An open workspace: one folder's view of the host, with its servers, its tools and their names, and its rules.
 * Composes the parts of a workspace and applies each new config to them. All callers share it. Methods that depend on
 * the caller get the caller as an argument.
 */
import { setMaxListeners } from "node:events";
import { Listeners } from "@plugboard/contracts";
import type {
  ConfigProblem,
  HostError,
  HostEventData,
  PendingServer,
  ServerDetail,
  ServerStatus,
  StartOptions,
  StartReport,
  WorkspaceSpec,
  Clock,
  Profile,
} from "@plugboard/contracts";
import type { CatalogPart } from "@plugboard/mcp";
import type { OpenUrlPort } from "../auth/oauth/interactive-login.ts";
import { ownLogin } from "../auth/own-login.ts";
import type { LoginMode, PrincipalLogins } from "../auth/own-login.ts";
import type { CallPorts } from "../calls/run-call.ts";
import type { ServerRequests } from "../calls/server-requests.ts";
import { ServerCompletions } from "../catalog/server-completions.ts";
import { ServerPrompts } from "../catalog/server-prompts.ts";
import { ResourceSubscriptions } from "../catalog/resource-subscriptions.ts";
import { ServerResources } from "../catalog/server-resources.ts";
import { ServerSkills } from "../catalog/server-skills.ts";
import type { CatalogPorts } from "../catalog/list-across-servers.ts";
import type {
  ConfiguredSandbox,
  ConfiguredServer,
  ConfiguredModels,
  GatewaySettings,
  Config,
  ModelSection,
  RuleTexts,
} from "@plugboard/config";
import { configuredModels, referencedNames, parseRules } from "@plugboard/config";
import type { NativeToolSources } from "../native/native-tools.ts";
import type { DecisionKey } from "../policy/decision-store.ts";
import { Policy } from "../policy/policy.ts";
import type { ReleaseOptions } from "../pool/connection-pool.ts";
import { pinOf } from "../tools/pins.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { TrustPrompts } from "../trust/trust-prompts.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import { untrustedServers } from "../trust/untrusted-servers.ts";
import { ConfigManager } from "./config-manager.ts";
import { ContentChanges } from "./content-changes.ts";
import { LoginPrompts } from "./login-prompts.ts";
import { NativeToolVisibility } from "./native-tool-visibility.ts";
import { OfferedTools } from "./offered-tools.ts";
import { ServerAccess } from "./server-access.ts";
import { ServerForwarding } from "./server-forwarding.ts";
import { ServerControl } from "./server-control.ts";
import { ServerSet } from "./server-set.ts";
import type { ServerChanges } from "./server-set.ts";
import { ToolCalls } from "./tool-calls.ts";
import type { ServerPorts, WorkspaceServer } from "./workspace-server.ts";

export interface OpenWorkspaceOptions {
  readonly spec: WorkspaceSpec;
  /** The config that the workspace opens with. */
  readonly config: Config;
  /** Set if the config files can't be read now. Then `config` is the config of another open workspace. */
  readonly configError?: HostError | undefined;
  readonly read: (spec: WorkspaceSpec) => Promise<Config>;
  /** Calls `onChange` when one of the files may have changed, until `stop` is called. */
  readonly watch: (files: readonly string[], onChange: () => void) => { stop(): void };
  readonly clock: Clock;
  readonly callPorts: CallPorts;
  /** Makes the requests that are not tool calls. Called on first use. */
  readonly requests: () => ServerRequests;
  readonly readOutput: NativeToolSources["readOutput"];
  readonly trust: TrustStore;
  readonly openUrl?: OpenUrlPort | undefined;
  readonly serverPorts: ServerPorts;
  /** Set for the workspace of a principal of the gateway: the owner's workspace from which it was made. */
  readonly owner?: OpenWorkspace | undefined;
}

/** Only the owner's workspace emits these events. In the workspaces of principals, servers have the same ids. */
const EVENTS_OF_OWNER: ReadonlySet<HostEventData["type"]> = new Set<HostEventData["type"]>([
  "server.changed",
  "catalog.changed",
  "config.changed",
  "config.failed",
]);

export class OpenWorkspace {
  readonly servers: ServerControl;
  readonly tools: OfferedTools;
  readonly nativeTools: NativeToolVisibility;
  readonly calls: ToolCalls;

  readonly #options: OpenWorkspaceOptions;
  readonly #config: ConfigManager;
  /** The models of the config section. Made again when the section has changed. */
  #models: { readonly section: ModelSection; readonly models: ConfiguredModels } | undefined;
  readonly #servers: ServerSet;
  readonly #access: ServerAccess;
  readonly #registry: ToolRegistry;
  // These parts are made on first use, because most commands need none of them.
  #resources: ServerResources | undefined;
  #subscriptions: ResourceSubscriptions | undefined;
  #prompts: ServerPrompts | undefined;
  #skills: ServerSkills | undefined;
  #completions: ServerCompletions | undefined;
  #forwarding: ServerForwarding | undefined;
  #madeTrustPrompts: TrustPrompts | undefined;
  #madeLoginPrompts: LoginPrompts | undefined;
  #madeContentChanges: ContentChanges | undefined;
  readonly #toolsKnownListeners = new Listeners();
  readonly #configListeners = new Listeners();
  readonly #released = new AbortController();
  #policy: Policy;
  /** The result of `hasOwnLogins` for each mode. Cleared when the config has changed. */
  #ownLogins: { readonly [Default in LoginMode]: boolean } | undefined;
  #started: Promise<StartReport> | undefined;

  constructor(options: OpenWorkspaceOptions) {
    const { spec, config, configError, callPorts, readOutput, serverPorts } = options;
    const released = this.#released.signal;
    // Every open question listens to this signal, so Node must not warn about many listeners.
    setMaxListeners(0, released);
    this.#options = options;
    this.#policy = new Policy(config.rules);
    const policy = () => this.#policy;
    const registry = (this.#registry = new ToolRegistry(config.naming));
    const servers = (this.#servers = new ServerSet({
      ports: serverPorts,
      onServerChange: (server, part) => this.#onServerChange(server, part),
      sortTools: (server, connection) => this.tools.sort(server, connection),
      onRemoved: (id) => this.#onServerRemoved(id),
    }));
    const configPorts = {
      read: options.read,
      watch: options.watch,
      apply: (next: Config) => this.#apply(next),
      onError: (error: HostError) => serverPorts.emit({ type: "config.failed", error: error.toJSON() }),
      onRepaired: () => serverPorts.emit({ type: "config.changed", added: [], removed: [], changed: [] }),
    };
    this.#config = new ConfigManager(spec, config, configPorts, configError);
    const pending = () => this.#config.current.pending;
    const trustPrompts = () => this.#trustPrompts;
    const loginPrompts = () => this.#loginPrompts;
    const { attended, unmetSchemas } = callPorts;
    const access = new ServerAccess({ servers, pending, policy, trustPrompts, loginPrompts, attended });
    this.#access = access;
    // Native tools are called by models, which reach fewer servers.
    const modelPorts = () => this.#catalogPorts(access.forModels);
    const nativeTools = (this.nativeTools = new NativeToolVisibility(registry, {
      get resources() {
        return new ServerResources(modelPorts());
      },
      get prompts() {
        return new ServerPrompts(modelPorts());
      },
      readOutput,
    }));
    const offered = { registry, nativeTools, servers, policy, exclude: spec.exclude, loginPrompts, unmetSchemas };
    const tools = (this.tools = new OfferedTools(offered));
    this.calls = new ToolCalls({
      ports: callPorts,
      tools,
      nativeTools,
      servers,
      access,
      policy,
      released,
      folder: spec.cwd,
    });
    this.servers = new ServerControl({
      servers,
      access,
      config: this.#config,
      registry,
      loginPrompts,
      logins: () => serverPorts.logins,
      released,
    });
    servers.apply(config.servers.values());
    registry.setOrder([...config.servers.keys()]);
  }

  get resources(): ServerResources {
    return (this.#resources ??= new ServerResources(this.#catalogPorts()));
  }

  get subscriptions(): ResourceSubscriptions {
    const { clock, serverPorts } = this.#options;
    return (this.#subscriptions ??= new ResourceSubscriptions({
      targets: this.#access.forCallers,
      clock,
      emit: serverPorts.emit,
      connectionOf: (id) => this.#servers.find(id)?.connection,
      released: this.released,
    }));
  }

  get prompts(): ServerPrompts {
    return (this.#prompts ??= new ServerPrompts(this.#catalogPorts()));
  }

  get skills(): ServerSkills {
    return (this.#skills ??= new ServerSkills(this.#catalogPorts(), this.resources));
  }

  get completions(): ServerCompletions {
    return (this.#completions ??= new ServerCompletions(this.#catalogPorts()));
  }

  get forwarding(): ServerForwarding {
    return (this.#forwarding ??= new ServerForwarding({
      access: this.#access,
      ports: this.#catalogPorts(),
      changes: () => this.#contentChanges,
    }));
  }

  status(): ServerStatus[] {
    const untrusted = this.#untrustedServers().map(({ config: _config, offered: _offered, ...status }) => status);
    return [...[...this.#servers.all()].map((server) => server.status()), ...untrusted];
  }

  detail(id: string): ServerDetail {
    const untrusted = this.#untrustedServers().find((server) => server.id === id);
    return untrusted ?? this.#access.get(id).detail();
  }

  /** Reads the stored logins from disk, so that the next status includes them. */
  async loadLogins(): Promise<void> {
    // `load` reads only the logins whose credential source exists. `status` creates the missing sources.
    this.status();
    await this.#options.serverPorts.logins.load();
  }

  /** Starts the enabled servers, watches the config files, and asks for missing approvals and logins. */
  start(options?: StartOptions): Promise<StartReport> {
    // In the workspace of a principal, the owner's workspace asks these questions.
    if (!this.#options.owner) this.#trustPrompts.askAll();
    this.#loginPrompts.start(this.#servers.all());
    this.#config.watch();
    this.#started = this.servers.startAll(options);
    return this.#started;
  }

  /** The settings of the gateway, from the user's config. */
  get gatewaySettings(): GatewaySettings {
    return this.#config.current.gateway;
  }

  /** The models of the user's config. Throws MODEL_URL_REFUSED if a project's file sets a provider. */
  get models(): ConfiguredModels {
    const { model: section } = this.#config.current;
    const { env, resolve } = this.#options.serverPorts;
    if (this.#models?.section !== section) this.#models = { section, models: configuredModels(section, env, resolve) };
    return this.#models.models;
  }

  /** Returns whether the workspace was opened with this spec. Compares the variables only if the spec has any. */
  hasSpec(spec: WorkspaceSpec): boolean {
    const { env: _, ...withoutEnv } = this.#config.spec;
    return JSON.stringify(spec) === JSON.stringify(spec.env ? this.#config.spec : withoutEnv);
  }

  get configInEffect(): Pick<OpenWorkspaceOptions, "config" | "read"> {
    return { config: this.#config.current, read: this.#options.read };
  }

  /** The sandbox of the commands that a model runs. */
  get terminalSandbox(): ConfiguredSandbox | undefined {
    return this.#config.current.terminalSandbox;
  }

  /** The paths of all config files that were read or searched. */
  get configFiles(): readonly string[] {
    return this.#config.current.files;
  }

  /** The current rules. */
  get policy(): Policy {
    return this.#policy;
  }

  /** Aborted when the workspace is released. */
  get released(): AbortSignal {
    return this.#released.signal;
  }

  /** Returns the profile of that name, which selects the tools of gateway clients. */
  profile(name: string): Profile | undefined {
    return this.#config.current.profiles.get(name);
  }

  /** Returns the rules of the workspace together with other rules. */
  policyWith(rules: RuleTexts): Policy {
    return new Policy([...this.#config.current.rules, ...parseRules(rules)]);
  }

  /** Calls the listener when the config was read again. Returns the function that removes the listener. */
  onConfigRead(listener: () => void): () => void {
    return this.#configListeners.add(listener);
  }

  /**
   * Resolves when the tools of all started servers that `includes` accepts are known, from this run or an earlier run.
   * Does not wait for servers that have failed. Resolves at once if `start` was not called.
   */
  async whenToolsKnown(includes: (server: string) => boolean = () => true): Promise<void> {
    if (!this.#started || this.#areToolsKnown(includes)) return;
    let stopListening = () => {};
    const known = new Promise<void>((resolve) => {
      stopListening = this.#toolsKnownListeners.add(() => this.#areToolsKnown(includes) && resolve());
    });
    await Promise.race([this.#started, known]);
    stopListening();
  }

  /** Resolves when the tools include all changes that the servers have reported so far. Never rejects. */
  async updateTools(): Promise<void> {
    const connections = [...this.#access.visible()].flatMap(({ connection }) => connection ?? []);
    await Promise.all(connections.map((connection) => connection.updateTools()));
  }

  #areToolsKnown(includes: (server: string) => boolean): boolean {
    return [...this.#access.visible()].every(({ id, connection }) => !includes(id) || connection?.toolsKnown);
  }

  /** Returns the definitions of all servers, also of servers that wait for approval. */
  configuredServers(): ConfiguredServer[] {
    const { servers, pending } = this.#config.current;
    return [...servers.values(), ...pending];
  }

  /** Returns the names of the environment variables that the config refers to. */
  variables(): string[] {
    return referencedNames(this.configuredServers(), this.#config.current.model);
  }

  problems(): ConfigProblem[] {
    return this.#config.problems();
  }

  async reload(): Promise<void> {
    await this.#options.owner?.reload();
    await this.#config.reload();
  }

  get spec(): WorkspaceSpec {
    return this.#config.spec;
  }

  /** The id of the gateway principal that this workspace belongs to. Undefined for the owner's workspace. */
  get principal(): string | undefined {
    return this.#options.serverPorts.principal?.principal.id;
  }

  /** Returns whether principals need a workspace of their own, because they log in themselves at one of the servers. */
  hasOwnLogins(byDefault: LoginMode): boolean {
    // Read for every request of a client, so it is computed once for each config.
    this.#ownLogins ??= {
      shared: this.#logsInItself("shared"),
      each: this.#logsInItself("each"),
    };
    return this.#ownLogins[byDefault];
  }

  #logsInItself(byDefault: LoginMode): boolean {
    const anybody = { principal: { id: "", name: "" }, byDefault };
    return [...this.#servers.all()].some(({ configured }) => ownLogin(configured, anybody) !== undefined);
  }

  /**
   * Returns the workspace for a principal of the gateway that logs in itself. It has the same config, rules and names.
   * It has connections of its own to the servers where the principal logs in, so that everything such a server lists
   * and sends depends only on the principal's login. It emits no events about servers, because they have the same ids
   * as the owner's servers.
   */
  forPrincipal(principal: PrincipalLogins): OpenWorkspace {
    const { serverPorts } = this.#options;
    const emit: ServerPorts["emit"] = (event) => EVENTS_OF_OWNER.has(event.type) || serverPorts.emit(event);
    return new OpenWorkspace({
      ...this.#options,
      config: this.#config.current,
      read: async () => this.#config.current,
      watch: (_files, onChange) => ({ stop: this.onConfigRead(onChange) }),
      serverPorts: { ...serverPorts, principal, emit },
      owner: this,
    });
  }

  pending(): PendingServer[] {
    return this.#trustPrompts.pending();
  }

  trust(id: string, hash: string): Promise<void> {
    return this.#trustPrompts.grant(id, hash);
  }

  /**
   * Revokes the approval of a server, also if its changed definition waits for approval at the moment. Returns false if
   * there was no approval.
   */
  async distrust(id: string): Promise<boolean> {
    const pending = this.#config.current.pending.findLast((server) => server.id === id);
    return this.#trustPrompts.revoke(this.#servers.find(id)?.configured ?? pending ?? this.#access.get(id).configured);
  }

  /** Returns the ids of other hosts that are reachable through the servers, to detect a loop of hosts. */
  reachableHostIds(): readonly string[] {
    return [...new Set([...this.#servers.all()].flatMap(({ connection }) => connection?.hostIds ?? []))];
  }

  /** Ends the subscriptions of a caller. */
  endCaller(id: string): void {
    this.#subscriptions?.endCaller(id);
  }

  rootsChanged(): void {
    for (const server of this.#servers.all()) server.rootsChanged();
  }

  /**
   * Withdraws the questions and releases the connections. Calls that wait for an answer fail with `reason`. The
   * workspace can't be used afterwards.
   */
  async release(reason: HostError, options?: ReleaseOptions): Promise<void> {
    this.#config.close();
    this.#released.abort(reason);
    await this.#servers.release(options);
  }

  async #apply(config: Config): Promise<ServerChanges> {
    if (this.#released.signal.aborted) return { added: [], removed: [], changed: [] };
    this.#policy = new Policy(config.rules);
    this.#registry.setNaming(config.naming);
    const { applied, released } = this.#servers.apply(config.servers.values());
    this.#ownLogins = undefined;
    const { added, removed, changed } = applied;
    this.#registry.setOrder([...config.servers.keys()]);
    this.nativeTools.onServersChange(this.#access.visible());
    this.#configListeners.emit();
    if (added.length + removed.length + changed.length > 0) {
      this.#options.serverPorts.emit({ type: "config.changed", added, removed, changed });
    }
    this.#madeTrustPrompts?.onConfigChange();
    if (this.#started) {
      if (!this.#options.owner) this.#trustPrompts.askAll();
      this.#config.watch();
      this.servers.startInBackground(added);
    }
    await released;
    // A changed server may need a resource, such as a TCP port, that its predecessor has just released.
    if (this.#started) this.servers.startInBackground(changed);
    return applied;
  }

  #onServerChange(server: WorkspaceServer, part?: "state" | CatalogPart): void {
    // A server that was replaced can still report changes while it stops.
    if (this.#servers.find(server.id) !== server) return;
    this.#madeLoginPrompts?.onServerChange(server);
    this.tools.update(server);
    this.nativeTools.onServerChange(server.id, this.#access.isVisible(server) ? server : undefined);
    this.#madeContentChanges?.handleServerChange(server, part);
    this.#subscriptions?.onServersChanged();
    this.#toolsKnownListeners.emit();
    if (part === "tools") {
      const { decisions } = this.#options.callPorts;
      decisions.updateLapsed(server.id, (decision) => this.#isLapsed(decision));
    }
  }

  /** Returns whether a server has changed the tool since the decision, or undefined if the tool is not known here. */
  #isLapsed({ server, definition, tool, pin, covers }: DecisionKey): boolean | undefined {
    if (covers === "server" || this.#servers.find(server)?.definitionHash !== definition) return undefined;
    const found = this.#registry.find({ server, tool });
    return found && pinOf(found.definition) !== pin;
  }

  #onServerRemoved(id: string): void {
    this.#madeContentChanges?.handleServerRemoved(id);
    this.#registry.remove(id);
    this.nativeTools.onServerChange(id, undefined);
  }

  get #trustPrompts(): TrustPrompts {
    const { trust, callPorts, serverPorts } = this.#options;
    return (this.#madeTrustPrompts ??= new TrustPrompts({
      trust,
      inbox: callPorts.inbox,
      emit: serverPorts.emit,
      activeServer: (id) => this.#servers.find(id)?.configured,
      pending: () => this.#config.current.pending,
      onChanged: () => this.reload(),
      released: this.released,
    }));
  }

  get #loginPrompts(): LoginPrompts {
    const { callPorts, serverPorts, openUrl, owner } = this.#options;
    return (this.#madeLoginPrompts ??= new LoginPrompts({
      inbox: callPorts.inbox,
      emit: serverPorts.emit,
      attended: callPorts.attended,
      openUrl,
      released: this.released,
      askOwner: owner && ((id) => owner.#access.askForLogin(owner.#access.get(id))),
    }));
  }

  get #contentChanges(): ContentChanges {
    return (this.#madeContentChanges ??= new ContentChanges(this.#servers.all()));
  }

  #catalogPorts(targets = this.#access.forCallers): CatalogPorts {
    const { requests, clock } = this.#options;
    return { targets, requests: requests(), clock };
  }

  #untrustedServers(): ServerDetail[] {
    return untrustedServers(this.#config.current.pending, (id) => this.#servers.find(id) !== undefined);
  }
}
