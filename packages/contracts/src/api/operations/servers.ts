/** Shows and changes the definitions of servers in config files. */
import { flag, object, oneOf, options, text } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { HostErrorJson } from "../../errors/error.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { DefinitionChange } from "../workspace/question.ts";
import type { ServerEntry } from "../workspace/entry-keys.ts";
import type { ConfigSource, TransportName } from "../workspace/server-entry.ts";
import type { Era } from "../workspace/server-status.ts";
import type { ConfigProblem } from "../workspace/workspace.ts";
import type { ImportPlan } from "./transfer.ts";

export interface ServerOperations {
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
}

const scope = oneOf("user", "project", "local");

/** How the methods are called from another process. */
export const SERVER_OPERATIONS: OperationTable<ServerOperations> = {
  definitions: { right: "manage", params: [text] },
  // The daemon checks the content of the draft.
  planServer: { right: "manage", params: [object as ArgumentCheck<unknown> as ArgumentCheck<ServerDraft>] },
  testServer: { right: "manage", params: [text, options({})], signal: true },
  saveServer: { right: "manage", params: [text, options({ storeSecrets: flag })] },
  removeServer: { right: "manage", params: [text, scope] },
  enableServer: { right: "manage", params: [text, flag] },
};

/** The files that a user edits. */
export type EditableScope = "user" | "project" | "local";

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
