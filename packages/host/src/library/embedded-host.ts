/** The interface of a host inside a program: the methods of `Workspace`, with synchronous reads. */
import type {
  CallerKind,
  CallerOptions,
  ConfigProblem,
  ConnectOptions,
  HostApi,
  Metrics,
  ModelProvider,
  OfferedTool,
  PendingServer,
  ServerDetail,
  ServerStatus,
  SetServersResult,
  StartReport,
  ToolRef,
  ToolResult,
  Workspace,
  WorkspaceActivity,
  WorkspaceConfig,
  WorkspaceServers,
  WorkspaceTools,
} from "@plugboard/contracts";
import type { ModelContent } from "../calls/output/to-model-content.ts";
import type { ProgramServer } from "../core/server-objects.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import type { ProviderToolFormats } from "../tools/provider-tool-formats.ts";

/**
 * A workspace and its host in one object. It has `ready` instead of `start`, because `createHost` starts the servers.
 * It has `close` instead of `release`. `await using` calls `close` at the end of the block.
 */
export interface EmbeddedHost
  extends
    Omit<Workspace, "start" | "release" | "status" | "servers" | "tools" | "config" | "activity">,
    AsyncDisposable {
  /** Resolves when every enabled server is ready or has failed, or when the timeout is over. */
  ready(options?: { readonly timeoutMs?: number }): Promise<StartReport>;
  /** Returns the status of every server. Starts no server. */
  status(): ServerStatus[];
  readonly servers: EmbeddedServers;
  readonly tools: EmbeddedTools;
  readonly config: EmbeddedConfig;
  readonly activity: EmbeddedActivity;
  /** The same host as a `HostApi`, whose methods all return promises. This program is its caller. */
  readonly api: HostApi;
  /** Returns the same host for another caller. A program that serves several people needs one caller per person. */
  as(kind: CallerKind, options?: CallerOptions): HostApi;
  /** Calls the `roots` port again and notifies the servers. */
  rootsChanged(): Promise<void>;
  /** Yields the events of all callers. With `after`, begins with the stored events after that sequence number. */
  readonly events: HostApi["events"];
  /** Closes every connection and ends every process. */
  close(): Promise<void>;
}

export interface EmbeddedServers extends Omit<WorkspaceServers, "detail" | "connect" | "set"> {
  /** Returns the status, definition and tools of one server. Starts no server. */
  detail(id: string): ServerDetail;
  /** Connects the server, even after it has failed. A given definition becomes a server of this program. */
  connect(
    id: string,
    options?: Omit<ConnectOptions, "definition"> & { readonly definition?: ProgramServer },
  ): Promise<ServerStatus>;
  /** Replaces this program's servers. Servers from config files stay. */
  set(servers: { readonly [id: string]: ProgramServer }): Promise<SetServersResult>;
}

export interface EmbeddedTools extends Omit<WorkspaceTools, "list" | "definitions"> {
  /** Returns the tools that can be called now. Starts no server. */
  list(): OfferedTool[];
  /** Returns the tools in the format of a model provider. */
  definitions<P extends ModelProvider>(provider: P): ProviderToolFormats[P];
  /**
   * Converts a result to text and media for a model. Text over the server's limit is cut and ends with a note.
   * The model reads the rest with the tool `read_output`.
   */
  forModel(ref: ToolRef, result: ToolResult, options?: { readonly limitBytes?: number }): Promise<ModelContent>;
  /** Adds a tool of this program. The returned function removes it. */
  register(tool: NativeTool): () => void;
}

export interface EmbeddedConfig extends Omit<WorkspaceConfig, "problems" | "pending"> {
  /** Returns the problems in the config files and in the options of `createHost`. Valid servers still work. */
  problems(): ConfigProblem[];
  /** Returns the servers of the project's files that the user has not trusted yet. */
  pending(): PendingServer[];
}

export interface EmbeddedActivity extends Omit<WorkspaceActivity, "metrics"> {
  /** Returns counters and latencies since the host started. */
  metrics(): Metrics;
}
