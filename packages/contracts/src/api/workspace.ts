import type { WorkspaceActivity } from "./activity.ts";
import type { Caller } from "./caller.ts";
import type { HostErrorJson } from "../errors/error.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import type { LoginBackend, LogoutReport, LoginList } from "./login.ts";
import type { Progress } from "../protocol/progress.ts";
import type { Completion, CompletionArgument, CompletionRef, GetPromptResult, PromptList } from "../protocol/prompt.ts";
import type { Answer, DefinitionChange, LoginMethod, Question } from "./question.ts";
import type { ResourceList, ResourceTemplateList, ResourceContents } from "../protocol/resource.ts";
import type { ServerEntry, ConfigSource, TransportName } from "./server-entry.ts";
import type { ServerDetail, ServerStatus } from "./server-status.ts";
import type { OfferedTool, ToolRef } from "../protocol/tool.ts";
import type { ToolResult } from "../protocol/tool-result.ts";

/** One folder's view of the host: its servers, its names, its policy. */
export interface Workspace {
  status(): Promise<ServerStatus[]>;
  /** Everything a front end shows, and the number of the last fact it includes: `events` goes on from there. */
  snapshot(): Promise<Snapshot>;
  /** Connects every enabled server at once and waits until each is ready or has failed. One that starts lazily stays asleep if it is known what it offers. */
  start(options?: { readonly signal?: AbortSignal }): Promise<StartReport>;
  readonly servers: WorkspaceServers;
  readonly tools: WorkspaceTools;
  readonly resources: WorkspaceResources;
  readonly prompts: WorkspacePrompts;
  readonly inbox: WorkspaceInbox;
  readonly config: WorkspaceConfig;
  readonly permissions: WorkspacePermissions;
  readonly logins: WorkspaceLogins;
  readonly activity: WorkspaceActivity;
  /** Lets go of the workspace: its questions are withdrawn and its connections closed unless another workspace uses them. */
  release(): Promise<void>;
}

export interface Snapshot {
  readonly seq: number;
  readonly servers: readonly ServerStatus[];
  readonly questions: readonly Question[];
}

export interface StartReport {
  readonly ready: readonly string[];
  readonly errors: { readonly [server: string]: HostErrorJson };
}

export interface WorkspaceServers {
  detail(id: string): Promise<ServerDetail>;
  /** Tries also what was given up. With a definition, that becomes the invocation's. */
  connect(id: string, options?: ConnectOptions): Promise<ServerStatus>;
  disconnect(id: string): Promise<void>;
  /** Ends the connection that there is, and with it what is under way, and opens another. */
  reconnect(id: string, options?: { readonly signal?: AbortSignal }): Promise<ServerStatus>;
  /** Asks the server again what it offers. */
  refresh(id: string, options?: { readonly signal?: AbortSignal }): Promise<ServerStatus>;
  /** Hides its tools, or shows them again; the link stays. Until the workspace is let go. */
  toggle(id: string, enabled: boolean): Promise<ServerStatus>;
  /** From now on these are the invocation's servers; those of the files stay. What did not change is not touched. */
  set(servers: { readonly [id: string]: ServerEntry }): Promise<SetServersResult>;
  /** Logs in anew, be there a login or not, and connects. What the user has to do is a question to the caller. */
  login(id: string, options?: LoginOptions): Promise<ServerStatus>;
  /** Takes the login back at the authorization server, and forgets it whatever becomes of that. Also of one that is only kept, by its label. */
  logout(id: string): Promise<LogoutReport>;
}

export interface LoginOptions {
  /** By the browser of this machine or, with the address pasted, of any; or with a code. Unless given, by the browser. */
  readonly method?: LoginMethod;
  readonly signal?: AbortSignal;
}

export interface WorkspaceLogins {
  /** All that are kept, also those of other workspaces. */
  list(): Promise<LoginList>;
  /** Keeps them elsewhere from now on. */
  setBackend(backend: Exclude<LoginBackend, "memory">): Promise<LoginList>;
}

export interface ConnectOptions {
  readonly definition?: ServerEntry;
  readonly signal?: AbortSignal;
}

export interface SetServersResult {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Of those that were added or changed and can't be used. */
  readonly errors: { readonly [server: string]: HostErrorJson };
}

export interface WorkspaceTools {
  /** What can be called now. Starts nothing. */
  list(): Promise<OfferedTool[]>;
  /** The tools that fit the words best, the best first. */
  search(query: string, options?: { readonly limit?: number }): Promise<ToolSearchHit[]>;
  /** The tools as a model provider wants them. */
  definitions(provider: ModelProvider): Promise<Json>;
  /** Ends in the tool's result or throws a `HostError`. */
  /** Without arguments the tool gets an empty object. */
  call(ref: ToolRef, args?: JsonObject | null, options?: CallOptions): Promise<ToolResult>;
  /** Takes one tool from the offer, or puts it back, until the workspace is let go. */
  toggle(ref: ToolRef, enabled: boolean): Promise<void>;
}

export type ModelProvider = "anthropic" | "openai" | "openai-responses" | "gemini";

export interface ToolSearchHit {
  readonly tool: OfferedTool;
  readonly score: number;
}

export interface ListOptions {
  /** One alone; all, unless given. */
  readonly server?: string;
  readonly signal?: AbortSignal;
}

export interface WorkspaceResources {
  list(options?: ListOptions): Promise<ResourceList>;
  templates(options?: ListOptions): Promise<ResourceTemplateList>;
  read(server: string, uri: string, options?: CallOptions): Promise<ResourceContents[]>;
}

export interface WorkspacePrompts {
  list(options?: ListOptions): Promise<PromptList>;
  get(
    server: string,
    name: string,
    args?: { readonly [name: string]: string },
    options?: CallOptions,
  ): Promise<GetPromptResult>;
  /** What an argument of a prompt, or of a family of resources, could go on as. `others`: what the other arguments are. */
  complete(
    server: string,
    ref: CompletionRef,
    argument: CompletionArgument,
    otherArguments?: { readonly [name: string]: string },
  ): Promise<Completion>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface WorkspaceInbox {
  list(): Promise<Question[]>;
  answer(id: string, answer: Answer): Promise<void>;
  dismiss(id: string): Promise<void>;
}

export interface WorkspaceConfig {
  /** What is wrong with the files, one entry each; never fatal for the servers that are right. */
  problems(): Promise<ConfigProblem[]>;
  /** Reads the files again and applies what has changed. What can't be read is a problem, and the last good state stays. */
  reload(): Promise<void>;
  /** What waits for consent. */
  pending(): Promise<PendingServer[]>;
  /** Consents to what waits under that id, if it still is what was shown. */
  trust(id: string, hash: string): Promise<void>;
  /** Takes the consent back. */
  distrust(id: string): Promise<void>;
}

/** A server that a file of the project defines, or switches on, and that waits for the user's consent. */
export interface PendingServer {
  readonly id: string;
  readonly source: ConfigSource;
  /** The project's. */
  readonly folder: string;
  readonly transport: TransportName;
  /** Of the definition: consent is to it and nothing else. */
  readonly hash: string;
  /** In full, as it is written. */
  readonly definition: JsonObject;
  /** The environment variables, files and secrets whose values it would be given. */
  readonly variables: readonly string[];
  /** What is different from the definition that was trusted before. */
  readonly changes?: readonly DefinitionChange[];
  /** Where the server of that id comes from that it would take the place of, with all that rules say of that id. */
  readonly replaces?: ConfigSource;
}

export interface WorkspacePermissions {
  /** What was allowed for longer than one call. */
  decisions(): Promise<StoredDecision[]>;
  /** From now on it is asked again. */
  revoke(id: string): Promise<void>;
}

export interface StoredDecision {
  readonly id: string;
  readonly at: number;
  readonly scope: "session" | "always";
  readonly server: string;
  readonly tool: string;
  /** The hash of the definition that was approved. */
  readonly pin: string;
  readonly rule?: string;
  /** Whose it is, until they end. */
  readonly caller?: Caller;
}

export interface ConfigProblem {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The server it disables, if it is about one. */
  readonly server?: string;
  readonly message: string;
}
