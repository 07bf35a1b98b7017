/**
 * What a connection is, and which facts may move it. Pure: no clock, no I/O.
 * `supervision.ts` performs the effects and reports back what happened.
 *
 * A fact names the attempt it belongs to, so news from a dead process is
 * dropped here, once, instead of being guarded against in every callback.
 */
import { HostError } from "@plugboard/contracts";
import type { ErrorDetails } from "@plugboard/contracts";
import { backoff } from "../lib/backoff.ts";
import type { BackoffOptions } from "../lib/backoff.ts";

interface ConnectionHistory {
  readonly attempt: number;
  /** Whether it has ever been open: then it is an MCP server, whatever it says now. */
  readonly everOpened: boolean;
  /** Since it was last healthy for a while, or since somebody said to try again. */
  readonly failures: number;
  /** When the last of them were. */
  readonly failedAt: readonly number[];
  /** How often it was begun again by itself. */
  readonly restarts: number;
}

export type ConnectionState = ConnectionHistory &
  (
    | { readonly phase: "idle" | "ready" }
    /** With what went wrong before, if it comes back from a failure. */
    | { readonly phase: "connecting"; readonly error?: HostError }
    | { readonly phase: "waiting"; readonly error: HostError; readonly retryAt: number }
    | { readonly phase: "auth_required" | "error"; readonly error: HostError }
  );

export type ConnectionFact =
  | { readonly type: "wanted" }
  | { readonly type: "opened"; readonly attempt: number }
  /** An attempt that failed, or an open connection that was lost. `random` from 0 to 1 spreads the next attempts. */
  | {
      readonly type: "failed";
      readonly attempt: number;
      readonly error: HostError;
      /** Steady-clock time, like every time here. */
      readonly at: number;
      readonly random: number;
    }
  /** The pause is over. */
  | { readonly type: "due"; readonly attempt: number }
  /** It has been healthy for a while. */
  | { readonly type: "settled"; readonly attempt: number }
  /** Nobody has used it for a while. */
  | { readonly type: "unused"; readonly attempt: number }
  /** Somebody says that it is worth another try. */
  | { readonly type: "retried" }
  | { readonly type: "stopped" };

export interface ReconnectPolicy {
  readonly pace: BackoffOptions;
  /** So many failures within so long are the last; without it there is always another try. */
  readonly giveUp?: { readonly failures: number; readonly withinMs: number } | undefined;
}

export const IDLE: ConnectionState = {
  phase: "idle",
  attempt: 0,
  everOpened: false,
  failures: 0,
  failedAt: [],
  restarts: 0,
};

/** The same object comes back when the fact does not apply; callers compare by identity. */
export function step(state: ConnectionState, fact: ConnectionFact, policy: ReconnectPolicy): ConnectionState {
  if ("attempt" in fact && fact.attempt !== state.attempt) return state;
  const { phase } = state;
  switch (fact.type) {
    case "wanted":
      return phase === "idle" ? startAttempt(state) : state;
    case "opened":
      return phase === "connecting" ? { ...historyOf(state), phase: "ready", everOpened: true } : state;
    case "failed":
      return phase === "connecting" || phase === "ready" ? afterFailure(state, fact, policy) : state;
    case "due":
      return phase === "waiting" ? { ...startAttempt(state), restarts: state.restarts + 1 } : state;
    case "settled":
      // Only time clears the counts: a crash loop must not hide behind good handshakes.
      return phase === "ready" ? resetFailures(state) : state;
    case "unused":
      // A new number, so that nothing an earlier attempt still reports can apply.
      return phase === "ready" ? { ...historyOf(state), phase: "idle", attempt: state.attempt + 1 } : state;
    case "retried":
      if (phase === "ready") return state;
      return resetFailures(phase === "connecting" ? state : startAttempt(state));
    case "stopped":
      return phase === "idle"
        ? state
        : { ...historyOf(resetFailures(state)), phase: "idle", attempt: state.attempt + 1 };
  }
}

function startAttempt(state: ConnectionState): ConnectionState {
  const error = "error" in state ? state.error : undefined;
  return { ...historyOf(state), phase: "connecting", attempt: state.attempt + 1, ...(error && { error }) };
}

function afterFailure(
  state: ConnectionState,
  { error, at, random }: Extract<ConnectionFact, { type: "failed" }>,
  { pace, giveUp }: ReconnectPolicy,
): ConnectionState {
  const history = historyOf(state);
  if (needsUser(error)) return { ...history, phase: "auth_required", error };
  if (isPermanent(error, state)) return { ...history, phase: "error", error };
  // Only a change at the other gateway helps. The pauses differ, so that two hosts do not reject each other again.
  if (error.code === "SERVER_IS_SELF") {
    return { ...history, phase: "waiting", error, retryAt: at + backoff(Infinity, random, pace) };
  }
  const failures = state.failures + 1;
  const failedAt = giveUp ? [...state.failedAt.filter((when) => when > at - giveUp.withinMs), at] : [];
  const counted = { ...history, failures, failedAt };
  if (giveUp && failedAt.length >= giveUp.failures)
    return { ...counted, phase: "error", error: withFailureCount(error, failedAt.length) };
  return { ...counted, phase: "waiting", error, retryAt: at + reconnectDelayMs(error, failures, random, pace) };
}

/** To log in, or to unlock the keyring: until then another attempt would only ask again. */
function needsUser({ code, details }: HostError): boolean {
  // One that an authorization server has not refused, but could not be asked for, may pass.
  return code === "AUTH_REQUIRED" || code === "KEYRING_UNAVAILABLE" || (code === "LOGIN_FAILED" && "error" in details);
}

/** What another attempt would only find again. */
function isPermanent({ code, details }: HostError, { phase, everOpened }: ConnectionState): boolean {
  if (code === "SERVER_IS_SELF") return !("indirect" in details);
  if (phase !== "connecting") return false;
  switch (code) {
    case "SERVER_INVALID":
    case "SERVER_SPAWN_FAILED":
    case "UNSUPPORTED_VERSION":
    case "LOGIN_NOT_OFFERED":
    case "LOGIN_UNSAFE":
    case "INTERNAL":
      return true;
    case "UNEXPECTED_RESPONSE":
    case "INVALID_MESSAGE":
    case "MESSAGE_TOO_LARGE":
      // From a server that has worked before it may be somebody who stands in for it while it is away.
      return !everOpened;
    default:
      return false;
  }
}

/** A server that says how long it wants to be left alone is, but never longer than the longest pause. */
function reconnectDelayMs(error: HostError, failures: number, random: number, pace: BackoffOptions): number {
  const { retryAfterMs = 0 } = error.details as { readonly retryAfterMs?: number };
  return Math.max(backoff(failures, random, pace), Math.min(retryAfterMs, pace.maxMs));
}

function resetFailures(state: ConnectionState): ConnectionState {
  return state.failures === 0 ? state : { ...state, failures: 0, failedAt: [] };
}

function historyOf({ attempt, everOpened, failures, failedAt, restarts }: ConnectionState): ConnectionHistory {
  return { attempt, everOpened, failures, failedAt, restarts };
}

/** What is not tried again says so. */
function withFailureCount(error: HostError, failures: number): HostError {
  if (error.code !== "SERVER_CRASHED") return error;
  const details = error.details as ErrorDetails["SERVER_CRASHED"];
  return new HostError("SERVER_CRASHED", { ...details, failures }, { cause: error.cause });
}
