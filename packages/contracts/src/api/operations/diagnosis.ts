/** What the config files say about the servers, for diagnosis. Starts nothing. */
import { anyJson } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { Json } from "../../lib/json.ts";
import type { SecretList } from "../workspace/secret.ts";
import type { ConfigSource } from "../workspace/server-entry.ts";
import type { ConfigProblem } from "../workspace/workspace.ts";
import type { DescribedDefinition } from "./servers.ts";

export interface DiagnosisOperations {
  /** Returns the problems of the config. Throws CONFIG_INVALID if no host can use it. */
  configProblems(): Promise<ConfigProblem[]>;
  /** Reads the config files, also if some of them are invalid. */
  configFacts(): Promise<ConfigFacts>;
  /** Masks the secrets of all definitions in all texts of the value. */
  redactSecrets(value: Json): Promise<Json>;
}

/** How the methods are called from another process. */
export const DIAGNOSIS_OPERATIONS: OperationTable<DiagnosisOperations> = {
  configProblems: { right: "manage", params: [] },
  configFacts: { right: "manage", params: [] },
  // With many guesses, a caller could find out the secrets.
  redactSecrets: { right: "read_secrets", params: [anyJson as ArgumentCheck<Json>] },
};

export interface ConfigFacts {
  /** The config files that exist, from lowest to highest priority. */
  readonly files: readonly ConfigFileFacts[];
  readonly problems: readonly ConfigProblem[];
  /** The servers that are in effect. Empty if the config can't be used. */
  readonly servers: readonly InspectedServer[];
  /** The ids of servers that wait for approval. */
  readonly untrusted: readonly string[];
  /** Undefined if a file is so invalid that no host can use the config. */
  readonly secrets?: SecretList;
}

export interface ConfigFileFacts {
  readonly file: string;
  readonly source: ConfigSource;
  /** The ids of the servers that the file defines. */
  readonly defines: readonly string[];
}

/** A configured server, from its definition alone. */
export interface InspectedServer extends DescribedDefinition {
  /**
   * Equal for servers that run the same program or use the same URL, with the same values. Digests of different processes
   * can't be compared.
   */
  readonly digest: string;
  /** The variables without a default that are not set or are empty. */
  readonly unsetVariables: readonly string[];
  readonly program?: InspectedProgram;
  /** The URL without credentials and parameters. Masked, with unexpanded variables, for callers without `read_secrets`. */
  readonly url?: string;
}

/** For callers without the right `read_secrets`, secrets are masked and variables are not expanded. */
export interface InspectedProgram {
  readonly command: string;
  /** The arguments with unexpanded variables and without `$secret` references. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** The PATH that the definition sets. */
  readonly path?: string;
}
