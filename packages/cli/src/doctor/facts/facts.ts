/** The facts that the checks of `plugboard doctor` judge. */
import type {
  ActivityEntry,
  ConfigProblem,
  ConfigSource,
  HostErrorJson,
  SecretList,
  ServerStatus,
} from "@plugboard/contracts";
import type { InspectedServer } from "@plugboard/host/config-commands";
import type { HostFacts } from "./probe-host.ts";
import type { PortFacts } from "./probe-port.ts";
import type { ProgramFacts } from "./inspect-program.ts";
import type { StateFolderFacts } from "./inspect-state-folder.ts";

export interface Facts {
  readonly now: number;
  readonly version: string;
  /** The version of Node that runs this command, such as `22.12.0`. */
  readonly node: string;
  readonly stateFolder: StateFolderFacts;
  readonly host: HostFacts;
  readonly port: PortFacts;
  /** The config files that exist, from lowest to highest priority. */
  readonly files: readonly ConfigFileFacts[];
  readonly problems: readonly ConfigProblem[];
  readonly servers: readonly ServerFacts[];
  /** The ids of servers that wait for approval. */
  readonly untrusted: readonly string[];
  /** Undefined if the config can't be used. */
  readonly secrets: SecretList | undefined;
  /** The latest entries of the journal, newest first. */
  readonly journal: readonly ActivityEntry[];
}

export interface ConfigFileFacts {
  readonly file: string;
  readonly source: ConfigSource;
  /** The ids of the servers that the file defines. */
  readonly defines: readonly string[];
}

export interface ServerFacts extends InspectedServer {
  /** The state in the running host, or the static state. */
  readonly status?: ServerStatus;
  readonly programFacts?: ProgramFacts;
  /** Set with --connect. */
  readonly connectResult?: ConnectResult;
}

export type ConnectResult =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly error: HostErrorJson; readonly hint: string };
