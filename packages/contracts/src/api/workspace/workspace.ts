/** The interface of a workspace, grouped by subject. `workspace-methods.ts` lists the same methods at run time. */
import type { WorkspaceActivity } from "./activity.ts";
import type { Caller } from "../host/caller.ts";
import type { HostErrorJson } from "../../errors/error.ts";
import type { Json } from "../../lib/json.ts";
import type { LoginBackend, LoginList, LogoutReport } from "./login.ts";
import type {
  Completion,
  CompletionArgument,
  CompletionRef,
  GetPromptResult,
  PromptList,
} from "../../protocol/prompt.ts";
import type { Answer, DefinitionToTrust, LoginMethod, Question } from "./question.ts";
import type { ResourceContents, ResourceList, ResourceTemplateList } from "../../protocol/resource.ts";
import type { SecretList } from "./secret.ts";
import type { ServerEntry } from "./entry-keys.ts";
import type { ServerDetail, ServerStatus } from "./server-status.ts";
import type { Skill, SkillFileContents, SkillList } from "../../protocol/skill.ts";
import type { DescribedTool, OfferedTool, ToolRef, ToolResult } from "../../protocol/tool.ts";

export interface StartOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * False leaves alone the servers that the host no longer retries, or that need a login. By default they are tried
   * again.
   */
  readonly retryFailed?: boolean | undefined;
  /**
   * Which servers to connect. `all` (default): all, except lazy servers whose tools are known. `unlisted`: those whose
   * tools are not known. `none`: no server. The stored tools of the others are listed.
   */
  readonly connects?: "all" | "unlisted" | "none" | undefined;
  /** Only these servers. Unknown ids are ignored. */
  readonly servers?: readonly string[] | undefined;
}

/** One folder's view of the host: servers, tool names, policy, questions and config. */
export interface Workspace {
  status(): Promise<ServerStatus[]>;
  /**
   * Returns the state that a front end shows. `seq` is the last event it includes; `events(seq)` continues from there.
   */
  snapshot(): Promise<Snapshot>;
  /**
   * Connects all enabled servers and resolves when each is ready or has failed. Skips lazy servers whose tools are
   * known.
   */
  start(options?: StartOptions): Promise<StartReport>;
  readonly servers: WorkspaceServers;
  readonly tools: WorkspaceTools;
  readonly resources: WorkspaceResources;
  readonly prompts: WorkspacePrompts;
  readonly skills: WorkspaceSkills;
  readonly inbox: WorkspaceInbox;
  readonly config: WorkspaceConfig;
  readonly permissions: WorkspacePermissions;
  readonly logins: WorkspaceLogins;
  readonly secrets: WorkspaceSecrets;
  readonly activity: WorkspaceActivity;
  /** Releases the workspace: withdraws its questions and closes connections that no other workspace uses. */
  release(): Promise<void>;
}

export interface Snapshot {
  readonly seq: number;
  readonly servers: readonly ServerStatus[];
  readonly questions: readonly Question[];
}

export interface StartReport {
  readonly ready: readonly string[];
  /** The servers that `connects` left unconnected, because their tools are known. Absent if there are none. */
  readonly stored?: readonly string[];
  readonly errors: { readonly [server: string]: HostErrorJson };
}

export interface WorkspaceServers {
  detail(id: string): Promise<ServerDetail>;
  /** Connects the server, even after it has failed. A given definition becomes a server of this invocation. */
  connect(id: string, options?: ConnectOptions): Promise<ServerStatus>;
  disconnect(id: string): Promise<void>;
  /** Closes the connection, which cancels its pending requests, and opens a new one. */
  reconnect(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<ServerStatus>;
  /** Lists the server's tools again. */
  refresh(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<ServerStatus>;
  /** Hides or shows the server's tools until the workspace is released. The connection stays open. */
  toggle(id: string, enabled: boolean): Promise<ServerStatus>;
  /** Replaces the servers of this invocation. Servers from config files and unchanged servers keep running. */
  set(servers: { readonly [id: string]: ServerEntry }): Promise<SetServersResult>;
  /** Starts a new login, even if a login exists, then connects. A question tells the caller what the user must do. */
  login(id: string, options?: LoginOptions): Promise<ServerStatus>;
  /** Revokes the login and deletes it even if revoking fails. Also accepts the `server` of a stored login. */
  logout(id: string): Promise<LogoutReport>;
}

export interface LoginOptions {
  /** `browser` (default): a browser redirect or a pasted redirect URL. `device`: a code for another device. */
  readonly method?: LoginMethod;
  readonly signal?: AbortSignal | undefined;
}

export interface WorkspaceLogins {
  /** Lists all stored logins, including those of other workspaces. */
  list(): Promise<LoginList>;
  /** Changes where logins and secrets are stored. */
  setBackend(backend: Exclude<LoginBackend, "memory">): Promise<LoginList>;
}

/** The values of `{ "$secret": "name" }` in server definitions. A value is never returned. */
export interface WorkspaceSecrets {
  /** Lists all stored secrets, and those that the servers of this workspace refer to. */
  list(): Promise<SecretList>;
  /** Replaces the secret of that name. A server gets the new value when it connects the next time. */
  set(name: string, value: string): Promise<void>;
  /** Returns false if there was no secret of that name. */
  remove(name: string): Promise<boolean>;
}

export interface ConnectOptions {
  readonly definition?: ServerEntry;
  readonly signal?: AbortSignal | undefined;
}

export interface SetServersResult {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Errors of added or changed servers. */
  readonly errors: { readonly [server: string]: HostErrorJson };
}

export interface WorkspaceTools {
  /** Lists the tools that can be called now. Starts no server. */
  list(): Promise<OfferedTool[]>;
  /** Connects a server, and returns those of its tools that have one of the names. */
  find(server: string, names: readonly string[], options?: FindOptions): Promise<OfferedTool[]>;
  /**
   * Describes a tool to the user, even if it is not offered. Throws TOOL_NOT_FOUND if its server has never listed it.
   */
  describe(ref: ToolRef): Promise<DescribedTool>;
  /** Returns the tools that match the query, best match first. */
  search(query: string, options?: { readonly limit?: number }): Promise<ToolSearchHit[]>;
  /** Returns the tools in the format of a model provider, without those that are only for Apps. */
  definitions(provider: ModelProvider): Promise<Json>;
  /**
   * Returns the tool's result or throws a `HostError`. The host validates the arguments, so a program can pass a
   * model's arguments unchanged. Invalid arguments throw INVALID_ARGUMENTS with the reason. Treats undefined and null
   * as an empty object.
   */
  call(ref: ToolRef, args?: unknown, options?: ToolCallOptions): Promise<ToolResult>;
  /** Hides or shows one tool until the workspace is released. */
  toggle(ref: ToolRef, enabled: boolean): Promise<void>;
}

interface FindOptions {
  readonly signal?: AbortSignal | undefined;
}

export type ModelProvider = "anthropic" | "openai" | "openai-responses" | "gemini";

export interface ToolSearchHit {
  readonly tool: OfferedTool;
  readonly score: number;
}

export interface ListOptions {
  /** The id of one server. By default all servers. */
  readonly server?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface WorkspaceResources {
  list(options?: ListOptions): Promise<ResourceList>;
  templates(options?: ListOptions): Promise<ResourceTemplateList>;
  read(server: string, uri: string, options?: CallOptions): Promise<ResourceContents[]>;
  /**
   * Emits `resource.updated` to this caller each time the server reports an update, and after the server has
   * reconnected. Many updates in a short time become one event. Resolves when the server has accepted the subscription.
   * It ends with `unsubscribe`, and when the caller or the workspace ends.
   */
  subscribe(server: string, uri: string): Promise<void>;
  /** Does nothing if the caller has not subscribed. */
  unsubscribe(server: string, uri: string): Promise<void>;
}

export interface WorkspacePrompts {
  list(options?: ListOptions): Promise<PromptList>;
  get(
    server: string,
    name: string,
    args?: { readonly [name: string]: string },
    options?: CallOptions,
  ): Promise<GetPromptResult>;
  /** Suggests values for an argument of a prompt or of a resource template. */
  complete(
    server: string,
    ref: CompletionRef,
    argument: CompletionArgument,
    otherArguments?: { readonly [name: string]: string },
  ): Promise<Completion>;
}

/** The skills of servers that declare the extension `io.modelcontextprotocol/skills`. */
export interface WorkspaceSkills {
  list(options?: ListOptions): Promise<SkillList>;
  /** Returns a skill by the URI of its SKILL.md, even if its server does not list it. Reads none of its files. */
  get(server: string, uri: string, options?: CallOptions): Promise<Skill & { readonly server: string }>;
  /**
   * Reads a file of a skill, by default SKILL.md, and compares it with the digest that the server lists.
   * `resources.read` reads it without the comparison.
   */
  read(server: string, uri: string, file?: string, options?: CallOptions): Promise<SkillFileContents>;
}

interface ToolCallOptions extends CallOptions {
  /**
   * The id of the call in events, questions and the journal: 1 to 100 characters of `A-Z`, `a-z`, `0-9`, `_`, `.`, `:`
   * and `-`, but not 32 hexadecimal digits, which are for ids of the host. By default the host makes one. The call
   * fails if another call with this id has not ended.
   */
  readonly id?: string | undefined;
  /**
   * Fails the call with REQUEST_TIMEOUT after this time, which includes all waiting. By default only the limits of the
   * server's definition apply.
   */
  readonly timeoutMs?: number | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The progress of a request, as its server reports it. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface WorkspaceInbox {
  list(): Promise<Question[]>;
  answer(id: string, answer: Answer): Promise<void>;
  dismiss(id: string): Promise<void>;
}

export interface WorkspaceConfig {
  /** Returns the problems in the config files. Valid servers work in spite of them. */
  problems(): Promise<ConfigProblem[]>;
  /**
   * Reads the config files again and applies the changes. If a file can't be read, its previous content stays in
   * effect.
   */
  reload(): Promise<void>;
  /** Returns the servers that wait for the user's trust. */
  pending(): Promise<PendingServer[]>;
  /** Trusts the pending server if its definition still has this hash. */
  trust(id: string, hash: string): Promise<void>;
  /** Revokes the trust. Returns false if the server was not trusted, or needs no trust. */
  distrust(id: string): Promise<boolean>;
}

/** A server that a project's config file defines or enables and that the user has not trusted yet. */
export interface PendingServer extends DefinitionToTrust {
  readonly id: string;
  /**
   * The hash of the definition. Trust is valid for this definition only. Masked for a caller who may not approve it.
   */
  readonly hash: string;
}

export interface WorkspacePermissions {
  /** Lists the decisions that are valid for longer than one call. */
  decisions(): Promise<StoredDecision[]>;
  /** Revokes a decision, so that the user is asked again. */
  revoke(id: string): Promise<void>;
}

export interface StoredDecision {
  readonly id: string;
  readonly at: number;
  readonly scope: "session" | "always";
  readonly server: string;
  /** `*` if the decision is about a whole server. */
  readonly tool: string;
  /** Set if the decision allows every tool that a server had: the hashes of their definitions. */
  readonly pins?: { readonly [tool: string]: string };
  /** The hash of the definition that was approved. */
  readonly pin: string;
  readonly rule?: string;
  readonly grantee: DecisionGrantee;
  /** The caller of a `session` decision. */
  readonly caller?: Caller;
  /** The tool has changed since, so the decision does not apply to it. */
  readonly lapsed?: true;
}

/** The principals that a decision is valid for: one, or all. */
export type DecisionGrantee = "everyone" | { readonly id: string; readonly name: string };

export interface ConfigProblem {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The server that the problem affects, if any. */
  readonly server?: string;
  readonly message: string;
}
