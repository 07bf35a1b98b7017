/** Shows and changes the definitions of servers in config files. */
import { flag, object, oneOf, optional, options, text, texts } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import { addedServersRight } from "../rights/spec-rights.ts";
import type { OperationTable } from "./operation-table.ts";
import type { HostErrorJson } from "../../errors/error.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { DefinitionChange } from "../workspace/question.ts";
import type { ServerEntry } from "../workspace/entry-keys.ts";
import type { SandboxAccess } from "../workspace/sandbox.ts";
import type { ConfigSource, TransportName } from "../workspace/server-entry.ts";
import type { Era } from "../workspace/server-status.ts";
import type { ConfigProblem } from "../workspace/workspace.ts";
import type { ImportPlan } from "./transfer.ts";

export interface ServerOperations {
  /** Returns the definitions of a server in all files. The definition in effect comes first. */
  definitions(id: string): Promise<ServerDefinitionFile[]>;
  /** Describes one definition of a server: the one in effect, or that of a scope. Throws SERVER_UNKNOWN. */
  describeServer(id: string, options?: DescribeServerOptions): Promise<ServerDescription>;
  /** Lists the entries in the files of a scope, even if another file overrides them. */
  listScope(scope: EditableScope): Promise<ScopeEntries>;
  /** Returns those ids that no configured server has. They may be typos. */
  unknownServers(ids: readonly string[]): Promise<UnknownServer[]>;
  /** Reads the JSON of one server in the spelling of any client. Saves nothing. */
  parseEntry(json: string): Promise<ParsedEntry>;
  /** Checks a definition and shows what saving it would do. Saves nothing and starts nothing. */
  planServer(draft: ServerDraft, options?: PlanServerOptions): Promise<ServerPlan>;
  /**
   * Connects the planned server in a workspace of its own, and lists its tools. A cancelled test stops the server, too.
   * Throws NOT_FOUND for an expired or applied plan.
   */
  testServer(plan: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<ServerTest>;
  /**
   * Writes the planned definition to its file, with or without the secrets in plain text that the plan has found.
   * Throws NOT_FOUND for an expired or applied plan.
   */
  saveServer(plan: string, options?: SaveServerOptions): Promise<SavedServer>;
  /**
   * Removes the entries of servers from a scope. Entries of other scopes stay. Without a scope, removes each server
   * from the project's config, or else from the only scope that has it. If one id is unknown, or is in several other
   * scopes, removes no server at all.
   */
  removeServers(ids: readonly string[], scope?: EditableScope): Promise<RemovedServer[]>;
  /**
   * Enables or disables a server in a scope. A server of a lower layer gets an entry that only enables or disables it
   * there. Without a scope, changes the file with the highest priority that has the server.
   */
  enableServer(id: string, enabled: boolean, scope?: EditableScope): Promise<EnabledServer>;
}

/** The files that a user edits. */
export type EditableScope = "user" | "project" | "local";

/** All editable scopes, from lowest to highest priority. */
export const EDITABLE_SCOPES: readonly EditableScope[] = ["user", "project", "local"];

const scope = oneOf(...EDITABLE_SCOPES);

/** How the methods are called from another process. */
export const SERVER_OPERATIONS: OperationTable<ServerOperations> = {
  definitions: { right: "manage", params: [text] },
  // The host checks the content of the entries.
  describeServer: {
    right: "manage",
    more: [addedServersRight(1)],
    params: [text, options({ scope, servers: object as ArgumentCheck<unknown> as ArgumentCheck<ServerEntries> })],
  },
  listScope: { right: "manage", params: [scope] },
  unknownServers: { right: "manage", params: [texts] },
  parseEntry: { right: "manage", params: [text] },
  // The host checks the content of the draft.
  planServer: {
    right: "manage",
    params: [object as ArgumentCheck<unknown> as ArgumentCheck<ServerDraft>, options({ findSecrets: flag })],
  },
  testServer: { right: "manage", params: [text, options({})], signal: true },
  saveServer: { right: "manage", params: [text, options({ storeSecrets: flag })] },
  removeServers: { right: "manage", params: [texts, optional(scope)] },
  enableServer: { right: "manage", params: [text, flag, optional(scope)] },
};

/** A definition in a config file, with every value that may be a secret masked. */
export interface DescribedDefinition {
  readonly id: string;
  readonly source: ConfigSource;
  readonly file: string;
  readonly enabled: boolean;
  /** The reason why the definition can't be used. */
  readonly invalid?: string;
  /** Absent for an invalid definition. */
  readonly transport?: TransportName;
  /** The command or URL as written, in one line. */
  readonly target?: string;
  /** The definition as a config file would have it, without default values. */
  readonly config?: JsonObject;
  /** What its sandbox allows. Absent without a sandbox, and if that depends on other files, which were not read. */
  readonly sandbox?: SandboxAccess;
}

export interface ServerDefinitionFile extends DescribedDefinition {
  /** The scope by which the definition can be changed here. Absent if it can't. */
  readonly scope?: EditableScope;
}

type ServerEntries = { readonly [id: string]: ServerEntry };

export interface DescribeServerOptions {
  /** By default the definition in effect. */
  readonly scope?: EditableScope;
  /** Further servers, which override those of the files. */
  readonly servers?: ServerEntries;
}

export interface ServerDescription extends DescribedDefinition {
  /** True if the definition waits for the user's approval. */
  readonly untrusted?: true;
  /** The other files with an entry for the server, from highest to lowest priority. */
  readonly otherFiles: readonly DefiningFile[];
  /** The problems of its entry. */
  readonly problems: readonly ConfigProblem[];
}

export interface DefiningFile {
  readonly source: ConfigSource;
  /** The file that contains the definition, or a label for one that is in no file. */
  readonly file: string;
}

export interface ScopeEntries {
  /** The files of the scope, whether they exist or not. */
  readonly files: readonly string[];
  /** The definitions, and entries that only enable or disable a server of another file. */
  readonly entries: readonly DescribedDefinition[];
}

export interface UnknownServer {
  readonly id: string;
  /** The most similar id of a configured server. */
  readonly suggestion?: string;
}

export type ParsedEntry =
  | { readonly entry: ServerEntry; /** Messages about keys and values. */ readonly warnings: readonly string[] }
  | { readonly error: string };

export interface ServerDraft {
  readonly id: string;
  readonly scope: EditableScope;
  /** A masked value stands for the value in the file. */
  readonly entry: ServerEntry;
  /** True replaces the definition with this id. Otherwise throws SERVER_EXISTS if there is one. */
  readonly replace?: boolean;
}

export interface PlanServerOptions {
  /** False leaves out `storable`, for which the secret store may have to be opened. True by default. */
  readonly findSecrets?: boolean;
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

/** The secrets in a planned definition, and the plan for the case that they are stored: it only refers to them. */
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
  readonly action: "added" | "replaced" | "unchanged";
  readonly scope: EditableScope;
  /** The saved definition. Its `file` is the changed file. */
  readonly definition: DescribedDefinition;
  /** Only for a project: whether the user's trust in the definition is stored, or why not. */
  readonly trust?: { readonly stored: true } | { readonly stored: false; readonly error: HostErrorJson };
  /** The files with a higher priority, whose entry for the server is in effect instead. */
  readonly hiddenBy: readonly string[];
  /** The files with a lower priority, whose entry for the server is not in effect here. */
  readonly overrides: readonly string[];
  readonly problems: readonly ConfigProblem[];
}

export interface RemovedServer {
  readonly id: string;
  readonly scope: EditableScope;
  /** The changed files. */
  readonly files: readonly string[];
  /** The file whose definition is used now. */
  readonly stillDefinedIn?: DefiningFile;
}

export interface EnabledServer {
  readonly id: string;
  /** Absent for a file that was given with `--config`. */
  readonly scope?: EditableScope;
  readonly file: string;
  readonly changed: boolean;
  /** What applies now, which another file may decide. */
  readonly effective: "enabled" | "disabled" | "untrusted" | "invalid";
  /** The file that decides, if the change has no effect because of it. */
  readonly decidedBy?: string;
  /** The file of a lower layer that defines the server, if the scope had no entry for it. */
  readonly definedIn?: DefiningFile;
}
