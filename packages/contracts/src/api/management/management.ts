/**
 * Changes config files, permission rules, tokens and the files of other clients. Only the page and
 * clients of the socket can use it. A change that makes the host run a command is planned first. The plan shows the
 * exact command, and only its id is sent to test or save it. `management-methods.ts` lists the methods at run time.
 */
import type { ClientName } from "./client-names.ts";
import type { ClientCounts } from "../host/host-control.ts";
import type { HostErrorJson } from "../../errors/error.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { DefinitionChange } from "../workspace/question.ts";
import type { ConfigSource, ServerEntry, TransportName } from "../workspace/server-entry.ts";
import type { Era } from "../workspace/server-status.ts";
import type { ConfigProblem } from "../workspace/workspace.ts";

export interface Management {
  overview(): Promise<HostOverview>;
  /** Returns the definitions of a server in all files. The definition in effect comes first. */
  definitions(id: string): Promise<ServerDefinitionFile[]>;
  /** Checks a definition and shows what saving it would do. Saves nothing and starts nothing. */
  planServer(draft: ServerDraft): Promise<ServerPlan>;
  /**
   * Connects the planned server in a workspace of its own, and lists its tools. A cancelled test stops the server, too.
   * Throws NOT_FOUND for an expired plan.
   */
  testServer(plan: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<ServerTest>;
  /**
   * Writes the planned definition to its file, with or without the secrets in plain text that the plan has found. Throws
   * NOT_FOUND for an expired plan.
   */
  saveServer(plan: string, options?: SaveServerOptions): Promise<SavedServer>;
  /** Removes the definition of a server from a scope. Definitions of other scopes stay. */
  removeServer(id: string, scope: EditableScope): Promise<void>;
  /** Enables or disables a server in its file. */
  enableServer(id: string, enabled: boolean): Promise<void>;
  /** Offers or hides a tool, by the list `tools.exclude` of its server. */
  enableTool(server: string, tool: string, enabled: boolean): Promise<void>;
  /** Returns the tools that `tools.exclude` hides by their names, of all servers. */
  hiddenTools(): Promise<HiddenTool[]>;
  /** Returns the names under which the clients of the gateway see a tool. They never see a native tool. */
  frontNames(server: string, tool: string): Promise<FrontNames>;
  /** Returns the permission rules of all files: all of them, or those that may apply to a server or a tool. */
  rules(filter?: RuleFilter): Promise<PermissionRule[]>;
  /** Sets the effect of a rule in the user's file. Without an effect, removes the rule. */
  setRule(rule: string, effect?: RuleEffect): Promise<void>;
  /** Returns why a call failed, and its arguments. The host knows the latest failed calls since it was started. */
  callFailure(call: string): Promise<CallFailure>;
  /** Reads the servers of other clients on this machine. Saves nothing. */
  planImport(): Promise<ImportPlan>;
  /**
   * Saves the servers with these keys, one after another. Their secrets go to the secret store first, and the saved
   * definitions only refer to them. Throws NOT_FOUND for an expired plan or an unknown key.
   */
  importServers(plan: string, keys: readonly string[], options?: ImportServersOptions): Promise<ImportResult>;
  /** Searches the registry. This is a request to another machine. */
  searchRegistry(words: string): Promise<RegistryHit[]>;
  /**
   * Plans a server of the registry with the values of its inputs. Reads the server from the registry again. A given
   * secret is stored when the plan is saved, and the definition only refers to it.
   */
  planRegistryServer(draft: RegistryDraft): Promise<ServerPlan>;
  tokens(): Promise<TokenInfo[]>;
  /** Returns the token, which can't be read again. */
  createToken(name: string, options?: CreateTokenOptions): Promise<string>;
  revokeToken(name: string): Promise<void>;
  /** Lists other clients on this machine, and which of them are connected to Plugboard. */
  clients(): Promise<ClientInfo[]>;
  /** Shows how to connect a client by hand. */
  connectInstructions(client: ClientName, options?: ConnectClientOptions): Promise<ConnectInstructions>;
  /** Shows the change of a client's file that connects it. */
  planConnect(client: ClientName, options?: ConnectClientOptions): Promise<ClientPlan>;
  /** Shows the change of a client's file that disconnects it. Restores a file that nobody has changed since. */
  planDisconnect(client: ClientName): Promise<ClientPlan>;
  /** Writes the planned change of a client's file. Throws NOT_FOUND for an expired plan. */
  changeClient(plan: string): Promise<void>;
}

/** The files that a user edits. */
export type EditableScope = "user" | "project" | "local";
export type RuleEffect = "allow" | "ask" | "deny";

export interface HostOverview {
  readonly version: string;
  /** The folder of the served workspace. */
  readonly folder: string;
  /** The URL of the port. */
  readonly endpoint?: string;
  /** The origin that shows MCP Apps, such as `http://127.0.0.1:7432`. */
  readonly sandboxOrigin?: string;
  readonly startedAt: number;
  readonly clients: ClientCounts;
  readonly scopes: readonly ScopeInfo[];
  readonly profiles: readonly string[];
}

/** A scope that has a file here. */
export interface ScopeInfo {
  readonly scope: EditableScope;
  /** The file that a new server is written to. */
  readonly file: string;
  /** The base of relative paths in its definitions, and the default working folder of its servers. */
  readonly folder: string;
}

export interface ServerDefinitionFile {
  readonly source: ConfigSource;
  readonly file: string;
  /** The scope by which the definition can be changed here. Absent if it can't. */
  readonly scope?: EditableScope;
  /** The definition, with every value that may be a secret masked. Absent if it is invalid. */
  readonly entry?: JsonObject;
  /** The reason why the definition can't be used. */
  readonly invalid?: string;
}

export interface ServerDraft {
  readonly id: string;
  readonly scope: EditableScope;
  /** A masked value stands for the value in the file. */
  readonly entry: ServerEntry;
  /** Replaces the definition with this id. If false, throws SERVER_EXISTS if there is one. */
  readonly replace?: boolean;
}

export interface ServerPlan {
  /** The id of the plan. It is valid for ten minutes, for the caller that made it. */
  readonly plan: string;
  readonly id: string;
  readonly transport: TransportName;
  readonly file: string;
  /** The exact command with its arguments, or the URL. */
  readonly runs: readonly string[];
  /** The working folder of the command. Variables in it are not expanded. */
  readonly folder?: string;
  /** The whole definition that would be written. */
  readonly entry: JsonObject;
  /** The environment variables, files and secrets whose values the server would get. */
  readonly variables: readonly string[];
  /** The differences from the definition in the file. Absent for a new server. */
  readonly changes?: readonly DefinitionChange[];
  readonly problems: readonly ConfigProblem[];
  /** The secrets of a registry's server. Those without a value have to be set before its first use. */
  readonly secrets?: readonly { readonly name: string; readonly given: boolean }[];
  /** Set if the definition has secrets in plain text that can be stored as secrets. */
  readonly storable?: StorableSecrets;
}

/** The secrets of a planned definition, and the plan if they are stored and the definition only refers to them. */
export interface StorableSecrets
  extends Pick<ServerPlan, "entry" | "variables" | "changes">, Pick<ImportPlan, "secretStoreProblem" | "unencrypted"> {
  readonly found: readonly FoundSecret[];
  /** True if the file already has all of them in plain text. */
  readonly alreadyPlain?: boolean;
}

export interface FoundSecret {
  /** The variable or header. */
  readonly key: string;
  /** The name in the secret store. */
  readonly name: string;
}

export interface SaveServerOptions {
  /** Stores the secrets of `storable` first, and saves the definition that only refers to them. */
  readonly storeSecrets?: boolean;
}

export interface ServerTest {
  readonly ok: boolean;
  readonly durationMs: number;
  readonly tools: readonly string[];
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly era?: Era;
  readonly version?: string;
  readonly error?: HostErrorJson;
  /** The end of the process's stderr output. */
  readonly stderr?: string;
}

export interface SavedServer {
  readonly id: string;
  readonly file: string;
  readonly action: "added" | "replaced" | "unchanged";
  /** The files with a higher priority, whose definition is in effect. */
  readonly hiddenBy: readonly string[];
}

export interface HiddenTool {
  readonly server: string;
  readonly tool: string;
}

export interface FrontNames {
  readonly name: string;
  /** The profiles whose clients see another name. */
  readonly profiles: readonly { readonly profile: string; readonly name: string }[];
}

export interface PermissionRule {
  readonly effect: RuleEffect;
  readonly rule: string;
  readonly source: ConfigSource;
  readonly file: string;
}

/**
 * Selects rules whose patterns match the server and the tool. Their conditions on arguments may not match a call. The rules
 * of one tool are sorted: the first one that matches a call decides.
 */
export interface RuleFilter {
  readonly server?: string;
  readonly tool?: string;
}

export interface CallFailure {
  /** The error message, or the text of a result with `isError`. Absent if the host no longer has it. */
  readonly reason?: string;
  /** The arguments as the caller sent them. Absent if the host no longer has them, or only their beginning. */
  readonly arguments?: JsonObject;
  /** The beginning of arguments that are too long to keep, as the text of their JSON. */
  readonly cutArguments?: string;
  /** True if the arguments contain `***` in place of secrets. */
  readonly masked?: boolean;
}

export interface ImportPlan {
  readonly plan: string;
  readonly files: readonly ImportFile[];
  /** The reason why secrets can't be stored. Absent if they can. */
  readonly secretStoreProblem?: string;
  /** True if secrets are stored in a plain file that only the user can read, because there is no keyring. */
  readonly unencrypted?: boolean;
}

export interface ImportServersOptions {
  /** The keys of servers whose secrets stay in their definitions, in plain text. */
  readonly plainSecrets?: readonly string[];
}

export interface ImportResult {
  /** The ids of the saved servers. */
  readonly imported: readonly string[];
  /** The first server that could not be saved. Those after it were not tried. Absent if all were saved. */
  readonly failed?: { readonly id: string; readonly error: HostErrorJson };
}

export interface ImportFile {
  readonly label: string;
  readonly file: string;
  readonly servers: readonly ImportableServer[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** The reason why the file can't be read. */
  readonly error?: string;
}

export interface ImportableServer {
  /** Identifies the server in the plan. */
  readonly key: string;
  readonly id: string;
  /** `none`: the same definition exists. `conflict`: another definition of this id exists. */
  readonly action: "add" | "replace" | "conflict" | "none";
  /** The command or URL, with possible secrets masked. */
  readonly runs?: string;
  /** The entry with masked values. */
  readonly entry: JsonObject;
  /** The file that it would be written to. */
  readonly target: string;
  readonly notes: readonly string[];
  /** The secrets that would be stored. */
  readonly secrets: readonly FoundSecret[];
  /** The masked entry if these secrets stay in the definition. Absent if there are none. */
  readonly plainEntry?: JsonObject;
}

export interface RegistryHit {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version?: string;
  /** A suggested id. */
  readonly id: string;
  /** Set if its publisher has deprecated it, with the publisher's reason or an empty text. */
  readonly deprecated?: string;
  readonly choices: readonly RegistryChoice[];
}

/** A package or a URL by which a server of the registry can be run. */
export interface RegistryChoice {
  /** Such as `npm package @example/server 1.0.2`. */
  readonly label: string;
  /** The reason why it can't run here. */
  readonly unsupported?: string;
  /** The inputs that the user fills in. */
  readonly inputs: readonly RegistryInputField[];
}

export interface RegistryInputField {
  /** Unique within its choice. */
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  readonly secret: boolean;
  readonly format: "string" | "number" | "boolean" | "filepath";
  readonly default?: string;
  readonly placeholder?: string;
  /** The only valid values. */
  readonly choices?: readonly string[];
  /** True if it may have several values. */
  readonly repeated: boolean;
}

export interface RegistryDraft {
  readonly id: string;
  readonly scope: EditableScope;
  /** The name and version of the server in the registry. By default the latest version. */
  readonly name: string;
  readonly version?: string;
  /** The `label` of the chosen `RegistryChoice`. */
  readonly choice: string;
  /** The values by the names of the inputs. */
  readonly values: { readonly [input: string]: readonly string[] };
}

export interface TokenInfo {
  readonly name: string;
  readonly createdAt: number;
  readonly profile?: string;
  readonly mayApprove: boolean;
}

export interface CreateTokenOptions {
  readonly profile?: string;
  readonly mayApprove?: boolean;
}

export interface ClientInfo {
  readonly client: ClientName;
  readonly label: string;
  readonly installed: boolean;
  /** The files with an entry that leads to Plugboard. */
  readonly connectedBy: readonly string[];
}

export interface ConnectClientOptions {
  /** The profile that the client gets. By default all servers. */
  readonly profile?: string;
}

export interface ConnectInstructions {
  readonly label: string;
  /** The file in which the client looks for its servers. */
  readonly file: string;
  /** The text of such a file with nothing but Plugboard, by command and by URL. `<token>` stands for a token. */
  readonly snippets: readonly { readonly transport: "stdio" | "http"; readonly text: string }[];
  /** What the user has to know or do. */
  readonly notes: readonly string[];
}

export interface ClientPlan {
  readonly plan: string;
  readonly label: string;
  readonly file: string;
  readonly action: "add" | "change" | "remove" | "restore" | "none";
  readonly diff: readonly { readonly kind: "context" | "added" | "removed"; readonly text: string }[];
  readonly notes: readonly string[];
}
