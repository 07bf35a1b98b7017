/** What the commands that read and change config files print with --json. */
import type { ConfigProblem, ConfigSource, EditableScope, JsonObject, TransportName } from "@plugboard/contracts";

export interface AddOutput {
  readonly id: string;
  /** What happened to the entry of the file. */
  readonly action: "added" | "replaced" | "unchanged";
  readonly scope: EditableScope;
  /** The config file with the entry. */
  readonly file: string;
  readonly transport: TransportName;
  readonly enabled: boolean;
  /** The command or URL as written, with possible secrets masked. */
  readonly target: string;
  /** False if your approval of the definition could not be stored. */
  readonly trusted: boolean;
  /** The definition without default values. Values that may be secrets are masked. */
  readonly config: JsonObject;
  /** Files with a higher priority that have an entry for the server, which is used instead. */
  readonly hiddenBy: readonly string[];
  /** Files with a lower priority that have an entry for the server, which is not used here. */
  readonly overrides: readonly string[];
  readonly warnings: readonly string[];
  /** Only with --from-registry: what you must set before the first use. */
  readonly needs?: { readonly secrets: readonly RequiredSecret[]; readonly variables: readonly RequiredVariable[] };
}

export interface RequiredSecret extends RequiredVariable {
  /** What the whole value looks like. */
  readonly form?: string;
}

export interface RequiredVariable {
  /** The name for `plugboard secret set`, or the name of the environment variable. */
  readonly name: string;
  readonly description?: string;
}

export interface GetOutput extends DefinedIn {
  readonly id: string;
  readonly enabled: boolean;
  /** The reason why the definition can't be used. */
  readonly invalid?: string;
  readonly transport?: TransportName;
  /** The command or URL as written, with possible secrets masked. */
  readonly target?: string;
  /** The definition without default values. Values that may be secrets are masked. */
  readonly config?: JsonObject;
  /** Set if the definition waits for your approval. */
  readonly untrusted?: true;
  /** Other files with an entry for the server, from highest to lowest priority. */
  readonly otherFiles: readonly DefinedIn[];
}

interface DefinedIn {
  readonly source: ConfigSource;
  /** The file that contains the definition, or a label for one that is in no file. */
  readonly file: string;
}

export interface RemoveOutput {
  readonly id: string;
  readonly scope: EditableScope;
  /** The changed files. */
  readonly files: readonly string[];
  /** The definition that is used now. */
  readonly stillDefinedIn?: DefinedIn;
}

export interface EnableOutput {
  readonly id: string;
  readonly scope: EditableScope;
  /** The config file with the entry. */
  readonly file: string;
  /** What the file says now. */
  readonly enabled: boolean;
  /** False if the file said so before. */
  readonly changed: boolean;
  /** The result of all files together. */
  readonly effective: "enabled" | "disabled" | "untrusted" | "invalid";
}

export interface ConfigFileOutput {
  readonly layer: ConfigSource;
  readonly file: string;
  readonly exists: boolean;
  /** The first reason why the file can't be used. */
  readonly invalid?: string;
}

export interface ConfigValidateOutput {
  /** The files that were checked. */
  readonly files: readonly string[];
  readonly problems: readonly ConfigProblem[];
}

export interface ListedProfile extends DefinedIn {
  readonly name: string;
  /** Null for an invalid profile. */
  readonly profile: ProfileEntry | null;
}

export interface ProfileOutput {
  readonly name: string;
  /** The changed file. */
  readonly file: string;
  readonly action: "added" | "replaced" | "unchanged" | "removed";
  readonly profile?: ProfileEntry;
}

interface ProfileEntry {
  readonly servers?: readonly string[];
  readonly tools?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  readonly permissions?: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
  };
  readonly naming?: "{server}__{tool}" | "{tool}";
  readonly cwd?: string;
  readonly max_result_bytes?: number;
}
