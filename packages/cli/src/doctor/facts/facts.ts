/** The facts that the checks of `plugboard doctor` judge. */
import type { ActivityEntry, ConfigFacts, HostErrorJson, InspectedServer, ServerStatus } from "@plugboard/contracts";
import type { FoundHost } from "./probe-host.ts";
import type { PortFacts } from "./probe-port.ts";
import type { ProgramFacts } from "./inspect-program.ts";
import type { StateFolderFacts } from "./inspect-state-folder.ts";

export interface Facts extends Omit<ConfigFacts, "servers"> {
  readonly now: number;
  readonly version: string;
  /** The version of Node that runs this command, such as `22.12.0`. */
  readonly node: string;
  readonly stateFolder: StateFolderFacts;
  readonly host: FoundHost;
  readonly port: PortFacts;
  readonly servers: readonly ServerFacts[];
  /** The latest entries of the journal, newest first. */
  readonly journal: readonly ActivityEntry[];
}

export interface ServerFacts extends InspectedServer {
  /** The state in the running host. Without a running host, the state by the config. */
  readonly status?: ServerStatus;
  readonly programFacts?: ProgramFacts;
  /** Set with --connect. */
  readonly connectResult?: ConnectResult;
}

export type ConnectResult =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly error: HostErrorJson; readonly hint: string };
