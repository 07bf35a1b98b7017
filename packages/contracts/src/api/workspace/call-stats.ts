/** The statistics of calls, and how a call is counted: whether it failed, and how long its server took. */
import type { CallerKind } from "../host/caller.ts";

/** Selects calls. A call matches if it matches all fields. */
export interface CallFilter {
  readonly server?: string;
  readonly caller?: CallerKind;
  /** A part of `server:tool`, of the client's name or of the error code, in any case. */
  readonly text?: string;
  readonly onlyFailed?: boolean;
}

export interface CallStatsQuery extends CallFilter {
  /** The time before now, in milliseconds; 24 hours by default, 60 days at most. */
  readonly spanMs?: number;
  /**
   * What the calls of a group have in common: the server, the server and the tool, or the client. By default `server`.
   */
  readonly by?: "server" | "tool" | "client";
}

/** The calls that ended in a time span. */
export interface CallStats extends CallTotals {
  /** The length of a bucket: 10 seconds, 1 minute, 15 minutes or 1 hour, depending on the span. */
  readonly bucketMs: number;
  /** The calls in each part of the span, oldest first. The last part is not over yet. */
  readonly buckets: readonly CallBucket[];
  /** The groups with most calls come first. */
  readonly groups: readonly CallGroup[];
}

export interface CallBucket extends CallTotals {
  /** The start of the bucket, in milliseconds since 1970. */
  readonly from: number;
}

/** Has neither a server nor a caller if the host did not count these calls separately. */
export interface CallGroup extends CallTotals {
  readonly server?: string;
  /** Absent for a tool that the server does not have. */
  readonly tool?: string;
  readonly caller?: CallerKind;
  /** For a client of the gateway: the name of its token, or the name that it gives itself over stdio. */
  readonly client?: string;
  /** The number of calls in each bucket. */
  readonly counts: readonly number[];
}

export interface CallTotals {
  readonly calls: number;
  /** The calls that ended with an error. A denied or cancelled call has not failed. */
  readonly failed: number;
  /** Estimated sizes as JSON. */
  readonly argumentBytes: number;
  readonly resultBytes: number;
  /** How long the calls spent in each phase. A phase that no call had is absent. */
  readonly phases: { readonly [Name in CallPhase]?: PhaseTimes };
}

/**
 * `start`: the call waits until its server is connected. `queue`: it waits for its turn. `question`: it waits for a
 * person or the caller's model. `retries`: from the first attempt to the last one. `server`: everything else, and so
 * the latency of the server. A call that was not sent has no `server` phase.
 */
export type CallPhase = "server" | "start" | "queue" | "question" | "retries";

/** In milliseconds. The quantiles have an error of up to 4 %. */
export interface PhaseTimes {
  /** The number of calls that had the phase. */
  readonly count: number;
  readonly sum: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** The part of a call's record that says how it is counted. */
export interface CountedCall {
  readonly outcome: "running" | "complete" | "failed";
  readonly isError?: true | undefined;
  readonly code?: string | undefined;
  readonly notSent?: true | undefined;
  readonly durationMs?: number | undefined;
  readonly startMs?: number | undefined;
  readonly queueMs?: number | undefined;
  readonly questionMs?: number | undefined;
  readonly retryMs?: number | undefined;
}

/** Returns how a call was stopped without a failure: denied by a person or a rule, or cancelled by the caller. */
export function stoppedWord(code: string | undefined): "denied" | "cancelled" | undefined {
  return code === "TOOL_DENIED" ? "denied" : code === "CANCELLED" ? "cancelled" : undefined;
}

/** A call has failed if it ended with an error, or if the tool returned one. */
export function isFailedCall({ outcome, isError, code }: CountedCall): boolean {
  return (outcome === "failed" || isError === true) && !stoppedWord(code);
}

/** Returns how long the server took. Undefined if the call was not sent or was cancelled. */
export function serverMs(call: CountedCall): number | undefined {
  const { code, notSent, durationMs, startMs = 0, queueMs = 0, questionMs = 0, retryMs = 0 } = call;
  if (durationMs === undefined || code === "CANCELLED" || notSent) return undefined;
  // A question is timed by another clock, so the difference may be a little below zero.
  return Math.max(0, durationMs - startMs - queueMs - questionMs - retryMs);
}

/** A call, or several that are counted together. */
interface FilteredCall extends CountedCall {
  readonly server: string;
  readonly tool?: string | undefined;
  readonly caller: CallerKind;
  readonly client?: string | undefined;
}

export function matchesCallFilter(call: FilteredCall, filter: CallFilter): boolean {
  const { server, caller, text = "", onlyFailed = false } = filter;
  if (server !== undefined && call.server !== server) return false;
  if (caller !== undefined && call.caller !== caller) return false;
  if (onlyFailed && !isFailedCall(call)) return false;
  const word = text.trim().toLowerCase();
  if (word === "") return true;
  return `${call.server}:${call.tool ?? ""} ${call.client ?? ""} ${call.code ?? ""}`.toLowerCase().includes(word);
}
