/** Types of the journal and of the metrics. */
import type { CallerKind } from "../host/caller.ts";
import type { HostErrorCode } from "../../errors/error-details.ts";
import type { CallStats, CallStatsQuery } from "./call-stats.ts";
import type { ServerState } from "./server-status.ts";

/** The journal and the metrics of the host. They contain no arguments and no results of calls. */
export interface WorkspaceActivity {
  /** Returns journal entries, newest first. */
  recent(query?: ActivityQuery): Promise<ActivityEntry[]>;
  /** Returns counters and latencies since the host started. */
  metrics(): Promise<Metrics>;
  /** Returns the statistics of a time span up to 60 days, of all hosts of the user, including ended ones. */
  stats(query?: CallStatsQuery): Promise<CallStats>;
}

export interface ActivityQuery {
  /** The maximum number of entries; 100 by default. */
  readonly limit?: number;
  readonly server?: string;
  /** Excludes older entries. In milliseconds since 1970. */
  readonly since?: number;
}

/** One line of the journal. `at` is the time of the event, in milliseconds since 1970. */
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
  /** `entries` is the number of entries before this one that could not be written. */
  | { readonly type: "lost"; readonly at: number; readonly entries: number };

export interface CallEntry {
  readonly type: "call";
  readonly at: number;
  readonly call: string;
  readonly caller: CallerKind;
  /** For a client of the gateway: the name of its token, or the name that it gives itself over stdio. */
  readonly client?: string;
  readonly server: string;
  readonly tool: string;
  readonly outcome: "complete" | "failed";
  /** The tool returned a result with `isError`. */
  readonly isError?: true;
  /** The result did not match the output schema of its tool. */
  readonly schemaMismatch?: true;
  readonly code?: HostErrorCode;
  /** The call ended before it was sent to its server. */
  readonly notSent?: true;
  /** Precise to the microsecond, such as 12.345. */
  readonly durationMs: number;
  /** The parts of `durationMs` in which the call waited. Absent if it did not wait. */
  readonly startMs?: number;
  readonly queueMs?: number;
  readonly questionMs?: number;
  readonly retryMs?: number;
  /** Estimated sizes as JSON. */
  readonly argumentBytes?: number;
  readonly resultBytes?: number;
}

/** Records how a question ended. */
export interface DecisionEntry {
  readonly type: "decision";
  readonly at: number;
  /** The type of the question. */
  readonly about: string;
  /** The id of the call, for a permission. */
  readonly call?: string;
  readonly server: string;
  readonly tool?: string;
  /** The decision, or one word that says why there is none. */
  readonly decision: string;
}

export interface Metrics {
  /** The start of the measurement, in milliseconds since 1970. */
  readonly since: number;
  readonly servers: readonly ServerMetrics[];
  /** The calls of each tool by the way in which they ended. */
  readonly outcomes: readonly OutcomeCount[];
  readonly questions: { readonly asked: number; readonly answered: number };
  /** The durations of requests and sessions, by the OpenTelemetry conventions for MCP. */
  readonly durations: readonly DurationMetric[];
}

/** `client`: requests and sessions of the host with servers. `server`: those of gateway clients with the host. */
export type DurationMetricName =
  | `mcp.${"client" | "server"}.${"operation" | "session"}.duration`
  /** The times in which calls waited, by `plugboard.phase`: start, queue, question or retries. */
  | "plugboard.call.wait.duration";

/** A histogram for each set of attributes. */
export interface DurationMetric {
  readonly name: DurationMetricName;
  /** The upper bounds of the buckets, in seconds. */
  readonly bounds: readonly number[];
  readonly points: readonly DurationPoint[];
}

/** Durations with equal attributes, in seconds. */
export interface DurationPoint {
  /** Such as `mcp.method.name`, `gen_ai.tool.name` and `error.type`. */
  readonly attributes: { readonly [name: string]: string };
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  /** The number of durations in each bucket. The last bucket has no upper bound. Durations are rounded by up to 4 %. */
  readonly buckets: readonly number[];
}

export interface OutcomeCount {
  /** Absent for the calls that the host does not count separately. */
  readonly server?: string;
  /** Absent for tools that the server does not have. */
  readonly tool?: string;
  /** `complete`, `tool_error`, an error code, or `other` for calls that the host does not count separately. */
  readonly outcome: string;
  readonly calls: number;
  /** Estimated sizes as JSON. */
  readonly argumentBytes: number;
  readonly resultBytes: number;
}

export interface CallMetrics {
  /** The number of calls that have ended. */
  readonly calls: number;
  /** The number of calls that returned a result with `isError`. */
  readonly toolErrors: number;
  /** The number of failed calls by error code. */
  readonly errors: { readonly [code in HostErrorCode]?: number };
  /**
   * How long the servers took, in milliseconds: without the time in which calls waited for the start of a server, for
   * their turn, for a person or for another attempt. The quantiles have an error of up to 4 %.
   */
  readonly latency: {
    readonly p50: number;
    readonly p90: number;
    readonly p99: number;
    readonly max: number;
    /** The sum over all calls that were sent. */
    readonly sum: number;
  };
}

export interface ServerMetrics extends CallMetrics {
  /**
   * The host counts a limited number of tools and outcomes separately. One entry without an id counts all further
   * calls.
   */
  readonly server?: string;
  readonly restarts: number;
  readonly tools: readonly ToolMetrics[];
}

export interface ToolMetrics extends CallMetrics {
  /** One entry without a name counts the calls of unknown tools. */
  readonly tool?: string;
}
