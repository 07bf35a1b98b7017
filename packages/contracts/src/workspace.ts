import type { HostErrorJson } from "./error.ts";
import type { JsonObject } from "./json.ts";
import type { Progress } from "./progress.ts";
import type { Answer, Question } from "./question.ts";
import type { ServerStatus } from "./server-status.ts";
import type { OfferedTool, ToolRef } from "./tool.ts";
import type { ToolResult } from "./tool-result.ts";

/** One folder's view of the host: its servers, its names, its policy. */
export interface Workspace {
  status(): Promise<ServerStatus[]>;
  /** Everything a front end shows, and the number of the last fact it includes: `events` goes on from there. */
  snapshot(): Promise<Snapshot>;
  /** Connects every enabled server at once and waits until each is ready or has failed. */
  start(): Promise<StartReport>;
  readonly servers: WorkspaceServers;
  readonly tools: WorkspaceTools;
  readonly inbox: Inbox;
  readonly config: WorkspaceConfig;
  /** Lets go of the workspace: its questions are withdrawn and its connections closed unless another workspace uses them. */
  release(): Promise<void>;
}

export interface Snapshot {
  readonly seq: number;
  readonly servers: readonly ServerStatus[];
  readonly questions: readonly Question[];
}

export interface StartReport {
  readonly ready: readonly string[];
  readonly errors: { readonly [server: string]: HostErrorJson };
}

export interface WorkspaceServers {
  connect(id: string, options?: { readonly signal?: AbortSignal }): Promise<ServerStatus>;
  disconnect(id: string): Promise<void>;
}

export interface WorkspaceTools {
  /** What the connected servers offer now. Starts nothing. */
  list(): Promise<OfferedTool[]>;
  /** Ends in the tool's result or throws a `HostError`. */
  call(ref: ToolRef, args: JsonObject, options?: CallOptions): Promise<ToolResult>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Inbox {
  list(): Promise<Question[]>;
  answer(id: string, answer: Answer): Promise<void>;
  dismiss(id: string): Promise<void>;
}

export interface WorkspaceConfig {
  /** What is wrong with the files, one entry each; never fatal for the servers that are right. */
  problems(): Promise<ConfigProblem[]>;
}

export interface ConfigProblem {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The server it disables, if it is about one. */
  readonly server?: string;
  readonly message: string;
}
