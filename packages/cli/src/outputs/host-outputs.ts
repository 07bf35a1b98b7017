/** What the commands for the running host and its servers print with --json. */
import type {
  CallGroup,
  CallTotals,
  ClientPlan,
  ConfigSource,
  HostErrorJson,
  HostEvent,
  HostInfo,
  SandboxAccess,
  ServerDetail,
  ServerStatus,
  TransportName,
} from "@plugboard/contracts";

export interface ListedServer {
  readonly id: string;
  /** Absent with --scope, for an invalid entry or one that only enables or disables a server of another file. */
  readonly transport?: TransportName;
  readonly source: ConfigSource;
  readonly enabled: boolean;
  /** The command or URL as written, with possible secrets masked. Absent like the transport. */
  readonly target?: string;
  /** What its sandbox allows. Absent without a sandbox, and with --scope. */
  readonly sandbox?: SandboxAccess;
  /** Set if the server waits for your approval. */
  readonly untrusted?: true;
  /** With --scope: the reason why the entry can't be used. */
  readonly invalid?: string;
}

/**
 * A list for all servers, an object for one. With --host, an object for the running host. With --watch, one object per line:
 * a snapshot, then the changes.
 */
export type StatusOutput = readonly (ServerStatus & Live)[] | (ServerDetail & Live) | StatusUpdate | HostStatusOutput;

interface Live {
  /** False if no host is running and nothing was connected: the state is the configured one. */
  readonly live: boolean;
}

export type StatusUpdate =
  | { readonly type: "snapshot"; readonly at: number; readonly servers: readonly ServerStatus[] }
  | { readonly type: "changed"; readonly at: number; readonly server: ServerStatus }
  | { readonly type: "removed"; readonly at: number; readonly id: string };

/** Leaves out the definitions of servers, which may contain secrets. */
export type HostStatusOutput =
  | { readonly running: false }
  | (Omit<HostInfo, "port"> & {
      readonly running: true;
      /** The base URL for MCP clients, if a port is open. */
      readonly endpoint?: string;
      /** The folder whose servers the port offers. */
      readonly folder?: string;
      /** True if the host runs other code than this command. `plugboard restart` replaces it. */
      readonly outdated: boolean;
    });

/**
 * The output has one JSON object per line: first the address, then each event of the host as it occurs. With --detach, it
 * has only the first line.
 */
export type ServeOutput = ServingLine | HostEvent;

export interface ServingLine {
  readonly type: "host.serving";
  /** The base URL. MCP clients use `/mcp` below it. */
  readonly endpoint: string;
  /** The process id of the host. */
  readonly pid: number;
  readonly version: string;
  /** True if the host was running before. */
  readonly attached: boolean;
}

export interface StopOutput {
  /** False if no host was running. */
  readonly stopped: boolean;
  /** The process id of the stopped host. */
  readonly pid?: number;
}

export interface RestartOutput {
  /** False if no host was running. */
  readonly restarted: boolean;
  /** The process id of the new host. */
  readonly pid?: number;
  /** The process id of the stopped host. */
  readonly stopped?: number;
  /** The base URL for MCP clients, if a port is open. */
  readonly endpoint?: string;
}

export interface ServiceInstallOutput extends ServiceChange {
  /** The content of the file. */
  readonly content: string;
}

export interface ServiceUninstallOutput extends ServiceChange {
  /** True if the file existed. */
  readonly installed: boolean;
}

interface ServiceChange {
  /** The path of the service's file. */
  readonly file: string;
  /** The commands that run after the file is written, or before it is removed. */
  readonly commands: readonly string[];
  /** True if nothing was done. */
  readonly dryRun: boolean;
}

export interface ServiceStatusOutput {
  readonly manager: "systemd" | "launchd";
  /** The path of the service's file. */
  readonly file: string;
  /** True if the file exists. */
  readonly installed: boolean;
  /** True if the service manager runs the host. */
  readonly running: boolean;
}

/** With --stats: the calls that ended in a time span. */
export interface CallStatsLine extends CallTotals {
  readonly type: "stats";
  readonly at: number;
  /** The length of the time span, which ends now. */
  readonly spanMs: number;
  /** The calls of each tool. One entry without a server has the calls that are not counted separately. */
  readonly tools: readonly Omit<CallGroup, "counts">[];
}

/** What `plugboard purge` would do, or has done. */
export interface PurgeOutput {
  /** True if nothing was done. */
  readonly dryRun: boolean;
  readonly steps: readonly PurgeStepOutput[];
  /** The config files that stay. */
  readonly kept: readonly string[];
  /** What you have to do by hand. */
  readonly notes: readonly string[];
}

export interface PurgeStepOutput {
  readonly kind: "disconnect" | "uninstall" | "stop" | "forget" | "remove";
  /** What the step does, with the file or folder. */
  readonly text: string;
  /** The change of a client's file, with masked values. */
  readonly diff?: ClientPlan["diff"];
  readonly done: boolean;
  /** The reason why the step is not done. */
  readonly error?: HostErrorJson;
}
