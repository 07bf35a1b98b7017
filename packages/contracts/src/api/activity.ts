import type { CallerKind } from "./caller.ts";
import type { HostErrorCode } from "../errors/error-details.ts";
import type { ServerState } from "./server-status.ts";

/** What has happened, how often and how fast. Never what a call was given, or gave. */
export interface WorkspaceActivity {
  /** Newest first. */
  recent(query?: ActivityQuery): Promise<ActivityEntry[]>;
  /** Since the host was started. */
  metrics(): Promise<Metrics>;
}

export interface ActivityQuery {
  /** 100, unless given. */
  readonly limit?: number;
  readonly server?: string;
  /** Nothing older, in milliseconds since 1970. */
  readonly since?: number;
}

/** One line of the journal. `at` is when it had happened, in milliseconds since 1970. */
export type ActivityEntry =
  | CallEntry
  | DecisionEntry
  | {
      readonly type: "server";
      readonly at: number;
      readonly server: string;
      readonly state: ServerState;
      readonly code?: HostErrorCode;
    }
  | {
      readonly type: "config";
      readonly at: number;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    }
  /** So many entries before this one could not be written. */
  | { readonly type: "lost"; readonly at: number; readonly entries: number };

export interface CallEntry {
  readonly type: "call";
  readonly at: number;
  readonly call: string;
  readonly caller: CallerKind;
  readonly server: string;
  readonly tool: string;
  readonly outcome: "complete" | "failed";
  /** The tool itself says that it failed. */
  readonly isError?: true;
  readonly code?: HostErrorCode;
  readonly durationMs: number;
  readonly argumentBytes?: number;
  readonly resultBytes?: number;
}

/** How a question ended. */
export interface DecisionEntry {
  readonly type: "decision";
  readonly at: number;
  /** Of what kind the question was. */
  readonly about: string;
  readonly server: string;
  readonly tool?: string;
  /** What was decided, or why nothing was, in a word. */
  readonly decision: string;
}

export interface Metrics {
  /** When counting began. */
  readonly since: number;
  readonly servers: readonly ServerMetrics[];
  readonly questions: { readonly asked: number; readonly answered: number };
}

export interface CallMetrics {
  /** All that ended. */
  readonly calls: number;
  /** Those of them that completed with a tool saying that it failed. */
  readonly toolErrors: number;
  /** Those that failed, by code. */
  readonly errors: { readonly [code in HostErrorCode]?: number };
  /** In milliseconds; the quantiles are right to 4 %. */
  readonly latency: {
    readonly p50: number;
    readonly p90: number;
    readonly p99: number;
    readonly max: number;
    /** Of all calls together. */
    readonly sum: number;
  };
}

export interface ServerMetrics extends CallMetrics {
  /** Absent for the servers beyond those that are counted one by one. */
  readonly server?: string;
  readonly restarts: number;
  readonly tools: readonly ToolMetrics[];
}

export interface ToolMetrics extends CallMetrics {
  /** Absent for the tools beyond those that are counted one by one, and those that don't exist. */
  readonly tool?: string;
}
