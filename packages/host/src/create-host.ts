/** The host for a program that embeds it: one workspace, read synchronously, its eager servers started. */
import { HostError } from "@plugboard/contracts";
import type {
  CallerKind,
  CallOptions,
  ConfigLayer,
  ConfigProblem,
  ToolSearchHit,
  HostApi,
  HostErrorJson,
  HostEvent,
  WorkspaceInbox,
  JsonObject,
  LoginOptions,
  LogoutReport,
  Metrics,
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
  WorkspaceActivity,
  WorkspaceLogins,
  WorkspacePermissions,
  WorkspacePrompts,
  WorkspaceResources,
  WorkspaceSpec,
} from "@plugboard/contracts";
import type { ServerObject } from "@plugboard/mcp";
import { checkHostOptions } from "./check-host-options.ts";
import { toModelContent } from "./calls/to-model-content.ts";
import type { ModelContent } from "./calls/to-model-content.ts";
import type { ModelPort } from "./calls/sampling.ts";
import { Host } from "./host.ts";
import type { HostOptions } from "./host.ts";
import { connectAnswerPort } from "./inbox/answer-port.ts";
import type { AnswerPort } from "./inbox/answer-port.ts";
import type { OpenUrlPort } from "./auth/oauth/interactive-login.ts";
import type { ProviderToolFormats } from "./tools/provider-tool-formats.ts";
import type { NativeTool } from "./tools/native-tool.ts";
import { withTimeout } from "./lib/with-timeout.ts";
import type { RootsPort } from "./workspace/workspace-roots.ts";

/** As in a file; or an object of this program, as the official SDKs make them. */
export type ProgramServer = ServerEntry | SdkServer;

export interface SdkServer extends Omit<ServerEntry, "transport" | "type"> {
  readonly transport?: "sdk";
  readonly type?: "sdk";
  readonly name: string;
  readonly instance: ServerObject;
}

export interface CreateHostOptions
  extends Omit<HostOptions, "config" | "model" | "roots" | "openUrl">, Partial<Omit<WorkspaceSpec, "env" | "servers">> {
  /**
   * The config layers to read. By default none is read, so the host has only this program's servers.
   * Restrictions of the managed layer always apply.
   */
  readonly config?: readonly ConfigLayer[];
  readonly servers?: { readonly [id: string]: ProgramServer };
  readonly ports?: {
    /** Answers the questions that this program's calls cause, and those of its workspace. */
    readonly answer?: AnswerPort;
    /** Lends a model to servers whose definition says `sampling: true`. Each wish is put to `answer` first. */
    readonly model?: ModelPort;
    /** Returns the roots for servers of this program and of a project. Without it, this program's servers get none. */
    readonly roots?: RootsPort;
    /** Opens the page where somebody logs in. Without it the page is in the question, for `answer` to open. */
    readonly openUrl?: OpenUrlPort;
  };
}

export interface EmbeddedHost {
  readonly api: HostApi;
  /** The same host for another caller, as a program that serves several people needs it. */
  as(kind: CallerKind, options?: { readonly attended?: boolean }): HostApi;
  /** Waits until every enabled server is ready or has failed, or for as long as is said. */
  ready(options?: { readonly timeoutMs?: number }): Promise<StartReport>;
  /** Starts nothing. */
  status(): ServerStatus[];
  detail(id: string): ServerDetail;
  /** Tries also what was given up. With a definition, that is this program's from now on. */
  connect(id: string, definition?: ProgramServer): Promise<ServerStatus>;
  disconnect(id: string): Promise<void>;
  reconnect(id: string): Promise<ServerStatus>;
  /** Asks the server again what it offers. */
  refresh(id: string): Promise<ServerStatus>;
  /** Logs in anew, be there a login or not, and connects. The page is opened by `openUrl`, or is in a question. */
  login(id: string, options?: LoginOptions): Promise<ServerStatus>;
  /** Takes the login back at the authorization server, and forgets it. */
  logout(id: string): Promise<LogoutReport>;
  readonly logins: WorkspaceLogins;
  /** Hides a server's tools, or shows them again; the link stays. */
  toggle(id: string, on: boolean): Promise<ServerStatus>;
  /** From now on these are the program's servers; those of the files stay. */
  setServers(servers: { readonly [id: string]: ProgramServer }): Promise<SetServersResult>;
  readonly tools: {
    list(): OfferedTool[];
    search(query: string, options?: { readonly limit?: number }): Promise<ToolSearchHit[]>;
    /** The tools as a model provider wants them. */
    definitions<P extends ModelProvider>(provider: P): ProviderToolFormats[P];
    /** Without arguments the tool gets an empty object. */
    call(ref: ToolRef, args?: JsonObject | null, options?: CallOptions): Promise<ToolResult>;
    /** A result as a model gets it: cut at the limit of its server, with a note; the whole can be read with the tool `read_output`. */
    forModel(ref: ToolRef, result: ToolResult, options?: { readonly limitBytes?: number }): Promise<ModelContent>;
    /** Takes one tool from the offer, or puts it back. */
    toggle(ref: ToolRef, on: boolean): void;
    /** A tool of the program's own; the returned function takes it away again. */
    register(tool: NativeTool): () => void;
  };
  readonly resources: WorkspaceResources;
  readonly prompts: WorkspacePrompts;
  readonly permissions: WorkspacePermissions;
  readonly activity: Omit<WorkspaceActivity, "metrics"> & { metrics(): Metrics };
  readonly inbox: WorkspaceInbox;
  readonly config: {
    /** What is wrong with the files and with what was given here; never fatal for the servers that are right. */
    problems(): ConfigProblem[];
    reload(): Promise<void>;
    /** What a project's files define and nobody has agreed to yet. */
    pending(): PendingServer[];
    trust(id: string, hash: string): Promise<void>;
    distrust(id: string): Promise<void>;
  };
  /** The folders that the `roots` port names are others now. */
  rootsChanged(): Promise<void>;
  events(after?: number, signal?: AbortSignal): AsyncIterable<HostEvent>;
  /** Nothing is left running. */
  close(): Promise<void>;
}

/** Returns once the config is read; the servers start meanwhile. */
export async function createHost(options: CreateHostOptions = {}): Promise<EmbeddedHost> {
  checkHostOptions(options);
  const {
    config = [],
    ports = {},
    cwd = process.cwd(),
    servers = {},
    configFiles,
    permissions,
    exclude,
    naming,
    ...rest
  } = options;
  const { answer, model, roots, openUrl } = ports;
  const portOptions = { ...(model && { model }), ...(roots && { roots }), ...(openUrl && { openUrl }) };
  const host = new Host({ ...rest, ...portOptions, config });
  const api = host.as("program", { attended: answer !== undefined });
  const { caller } = api;
  const entries = (given: { readonly [id: string]: ProgramServer }) => toEntries(given, host);
  const workspace = await host.open({
    cwd,
    servers: entries(servers),
    ...(configFiles !== undefined && { configFiles }),
    ...(permissions !== undefined && { permissions }),
    ...(exclude !== undefined && { exclude }),
    ...(naming !== undefined && { naming }),
  });
  const bound = host.bind(workspace, caller);
  if (answer) connectAnswerPort(answer, { inbox: host.inbox, caller, emit: host.events.emit });
  const started = workspace.start();
  return {
    api,
    as: (kind, attendance) => host.as(kind, attendance),
    ready: ({ timeoutMs } = {}) =>
      timeoutMs === undefined
        ? started
        : withTimeout(started, timeoutMs, () => partialStartReport(workspace.status(), timeoutMs)),
    status: () => workspace.status(),
    detail: (id) => workspace.detail(id),
    connect: (id, definition) =>
      workspace.connect(id, { caller, ...(definition && { definition: entries({ [id]: definition })[id] }) }),
    disconnect: (id) => workspace.disconnect(id),
    reconnect: (id) => workspace.reconnect(id),
    refresh: (id) => workspace.refresh(id),
    login: (id, { method, signal } = {}) => workspace.login(id, { caller, method, signal }),
    logout: (id) => workspace.logout(id),
    logins: bound.logins,
    toggle: async (id, on) => workspace.toggle(id, on),
    setServers: async (given) => {
      const next = entries(given);
      const result = await workspace.setServers(next);
      host.retainServers(new Set(Object.values(next).flatMap(({ name }) => name ?? [])));
      return result;
    },
    tools: {
      list: () => workspace.tools(),
      search: (query, limits) => workspace.search(query, limits),
      definitions: (provider) => workspace.definitions(provider),
      call: (ref, args, callOptions) => bound.tools.call(ref, args, callOptions),
      forModel: (ref, result, { limitBytes = workspace.resultLimitBytes(ref) } = {}) => {
        const source = workspace.displayName(ref);
        return toModelContent(result, { source, limitBytes, store: (text) => host.storeOutput(workspace, text) });
      },
      toggle: (ref, on) => workspace.toggleTool(ref, on),
      register: (tool) => {
        workspace.nativeTools.add(tool);
        return once(() => workspace.nativeTools.remove(tool.name));
      },
    },
    resources: bound.resources,
    prompts: bound.prompts,
    permissions: bound.permissions,
    activity: { recent: (query) => bound.activity.recent(query), metrics: () => host.metrics.snapshot() },
    inbox: bound.inbox,
    config: {
      problems: () => workspace.problems(),
      reload: () => workspace.reload(),
      pending: () => workspace.pending(),
      trust: (id, hash) => workspace.trust(id, hash),
      distrust: (id) => workspace.distrust(id),
    },
    rootsChanged: () => host.rootsChanged(),
    // The program owns the host: it may know of every caller's questions.
    events: (after, signal) => host.events.events(after, signal),
    close: () => host.close(),
  };
}

/** What has the name later is nothing to whoever had it. */
function once(callback: () => void): () => void {
  let done = false;
  return () => {
    if (!done) callback();
    done = true;
  };
}

/** What is an object of this program is known to the host by its name. */
function toEntries(servers: { readonly [id: string]: ProgramServer }, host: Host): { [id: string]: ServerEntry } {
  const entries = Object.entries(servers).map(([id, server]): [string, ServerEntry] => {
    if (!("instance" in server)) return [id, server];
    const { instance, type: _, ...entry } = server;
    return [id, { ...entry, transport: "sdk", name: host.addServer(entry.name, instance) }];
  });
  return Object.fromEntries(entries);
}

/** How far they have come. */
function partialStartReport(servers: readonly ServerStatus[], afterMs: number): StartReport {
  const errors: { [server: string]: HostErrorJson } = {};
  for (const { id, state, lastError } of servers) {
    if (state !== "error" && state !== "auth_required" && state !== "connecting") continue;
    errors[id] = lastError ?? new HostError("SERVER_NOT_RESPONDING", { server: id, afterMs }).toJSON();
  }
  return { ready: servers.filter(({ state }) => state === "ready").map(({ id }) => id), errors };
}
