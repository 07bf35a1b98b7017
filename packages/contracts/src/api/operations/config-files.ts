/** Shows, checks and creates config files. */
import { oneOf, optional, options, text } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ConfigSource } from "../workspace/server-entry.ts";
import type { ConfigProblem } from "../workspace/workspace.ts";
import { EDITABLE_SCOPES } from "./servers.ts";
import type { EditableScope } from "./servers.ts";

export interface ConfigFileOperations {
  /**
   * Lists the config files from lowest to highest priority, whether they exist or not. With a scope, lists only the
   * file that a new server of the scope is written to. Throws USAGE if the folder has no such scope.
   */
  configFiles(options?: ConfigFilesOptions): Promise<ConfigFileInfo[]>;
  /**
   * Returns the problems of all files that exist, or of one file. Throws CONFIG_INVALID if that file does not exist.
   */
  checkConfig(file?: string): Promise<ConfigCheck>;
  /**
   * Returns the file of a scope for an editor to open, and creates it unless it exists. With a server, returns the file
   * and the line of its entry.
   */
  openConfigFile(scope: EditableScope, server?: string): Promise<OpenedConfigFile>;
  /** Returns the JSON Schema of a config file. */
  configSchema(): Promise<JsonObject>;
}

const scope = oneOf(...EDITABLE_SCOPES);

/** How the methods are called from another process. */
export const CONFIG_FILE_OPERATIONS: OperationTable<ConfigFileOperations> = {
  configFiles: { right: "manage", params: [options({ scope })] },
  checkConfig: { right: "manage", params: [optional(text)] },
  openConfigFile: { right: "manage", params: [scope, optional(text)] },
  configSchema: { right: "manage", params: [] },
};

export interface ConfigFilesOptions {
  readonly scope?: EditableScope;
}

export interface ConfigFileInfo {
  readonly source: ConfigSource;
  readonly file: string;
  /** The base of relative paths in the file. */
  readonly folder: string;
  readonly exists: boolean;
  /** The reason why the file can't be used. */
  readonly invalid?: string;
}

export interface ConfigCheck {
  /** The checked files. */
  readonly files: readonly string[];
  readonly problems: readonly ConfigProblem[];
}

export interface OpenedConfigFile {
  readonly file: string;
  /** The line of the server's entry. */
  readonly line?: number;
}
