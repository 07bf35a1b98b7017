/**
 * The state machine of a connection. Pure: no clock, no I/O. `reconnect-loop.ts` reports the events and performs the
 * effects of each new state.
 *
 * An event names the attempt it belongs to, so events of an earlier process are ignored in one place.
 */
import { backoff, HostError } from "@plugboard/contracts";
import type { BackoffOptions, ErrorDetails } from "@plugboard/contracts";

interface ConnectionHistory {
  readonly attempt: number;
  /** True if the connection was ever open, which proves that the server speaks MCP. */
  readonly everOpened: boolean;
  /** Counts the failures since the last stable link, answered call or manual retry. */
  readonly failures: number;
  /** The times of the failures within the crash window. */
  readonly failedAt: readonly number[];
  /** True after too many failures. Further attempts are made only for requests. */
  readonly givenUp: boolean;
  /** Counts the automatic reconnects. */
  readonly restarts: number;
}

export type ConnectionState = ConnectionHistory &
  (
    | { readonly phase: "idle" | "ready" }
    /** Holds the error of the previous attempt, if it failed. */
    | { readonly phase: "connecting"; readonly error?: HostError }
    | { readonly phase: "waiting"; readonly error: HostError; readonly retryAt: number }
    | { readonly phase: "auth_required"; readonly error: HostError }
    /** A request after `restartAt` starts another attempt. If it is absent, an attempt would fail in the same way. */
    | { readonly phase: "error"; readonly error: HostError; readonly restartAt?: number }
  );

export type ConnectionEvent =
  | { readonly type: "requested"; readonly time: number }
  | { readonly type: "opened"; readonly attempt: number }
  /** An attempt failed, or an open connection was lost. `random` is between 0 and 1 and spreads the retries. */
  | {
      readonly type: "failed";
      readonly attempt: number;
      readonly error: HostError;
      /** Steady-clock time, like every time here. */
      readonly time: number;
      readonly random: number;
      /** True if the lost connection has answered a call. */
      readonly served?: boolean;
    }
  /** The pause before the next attempt is over. */
  | { readonly type: "retry_due"; readonly attempt: number }
  /** The link has been open for `stableAfterMs`. */
  | { readonly type: "stable"; readonly attempt: number }
  /** The link was not used for `idleStopMs`, or the caller disconnects. */
  | { readonly type: "unused"; readonly attempt: number }
  /** The user asks for another attempt. */
  | { readonly type: "retried" }
  | { readonly type: "stopped" };

export interface ReconnectPolicy {
  readonly pace: BackoffOptions;
  /**
   * After this many failures within this time, only a request starts another attempt, at the earliest `restartAfterMs`
   * after the last failure. Without `giveUp`, the loop retries forever.
   */
  readonly giveUp?:
    | { readonly failures: number; readonly withinMs: number; readonly restartAfterMs: number }
    | undefined;
}

export const IDLE: ConnectionState = {
  phase: "idle",
  attempt: 0,
  everOpened: false,
  failures: 0,
  failedAt: [],
  givenUp: false,
  restarts: 0,
};

/** Returns the same object if the event does not apply, so that callers can compare by identity. */
export function step(state: ConnectionState, event: ConnectionEvent, policy: ReconnectPolicy): ConnectionState {
  if ("attempt" in event && event.attempt !== state.attempt) return state;
  const { phase } = state;
  switch (event.type) {
    case "requested":
      return phase === "idle" || (phase === "error" && event.time >= (state.restartAt ?? Infinity))
        ? startAttempt(state)
        : state;
    case "opened":
      return phase === "connecting" ? { ...historyOf(state), phase: "ready", everOpened: true } : state;
    case "failed":
      return phase === "connecting" || phase === "ready" ? afterFailure(state, event, policy) : state;
    case "retry_due":
      return phase === "waiting" ? { ...startAttempt(state), restarts: state.restarts + 1 } : state;
    case "stable":
      // A successful handshake does not reset the count: a crash loop has many of them.
      return phase === "ready" ? resetFailures(state) : state;
    case "unused":
      // The new attempt number makes later events of the old link inapplicable.
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
  { error, time, random, served = false }: Extract<ConnectionEvent, { type: "failed" }>,
  { pace, giveUp }: ReconnectPolicy,
): ConnectionState {
  const history = historyOf(served ? resetFailures(state) : state);
  if (needsUser(error)) return { ...history, phase: "auth_required", error };
  if (isPermanent(error, state)) return { ...history, phase: "error", error };
  // The server leads back to this host through another gateway. Only a change there helps, so the pause is the longest.
  // It is random, because two hosts that connect to each other at the same time would reject each other again.
  if (error.code === "SERVER_IS_SELF") {
    return { ...history, phase: "waiting", error, retryAt: time + backoff(Infinity, random, pace) };
  }
  const failures = history.failures + 1;
  // The loss of a connection that has served a call counts for the pause, but not for giving up.
  const failedAt =
    giveUp && !served ? [...history.failedAt.filter((failureTime) => failureTime > time - giveUp.withinMs), time] : [];
  const counted = { ...history, failures, failedAt };
  if (giveUp && (history.givenUp || failedAt.length >= giveUp.failures)) {
    const restartAt = time + giveUp.restartAfterMs;
    return { ...counted, phase: "error", givenUp: true, error: withFailureCount(error, failures), restartAt };
  }
  return { ...counted, phase: "waiting", error, retryAt: time + reconnectDelayMs(error, failures, random, pace) };
}

/** True if the user must log in or unlock the keyring before another attempt can succeed. */
function needsUser({ code, details }: HostError): boolean {
  // Without `error`, the authorization server was unreachable, and a retry may succeed.
  return code === "AUTH_REQUIRED" || code === "KEYRING_UNAVAILABLE" || (code === "LOGIN_FAILED" && "error" in details);
}

/** True if another attempt would fail in the same way. */
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
    case "WRONG_PROTOCOL":
    case "INVALID_MESSAGE":
    case "MESSAGE_TOO_LARGE":
      // If the server has worked before, a proxy may answer in its place while it is down.
      return !everOpened;
    default:
      return false;
  }
}

/** Respects the server's Retry-After, up to the maximum pause. */
function reconnectDelayMs(error: HostError, failures: number, random: number, pace: BackoffOptions): number {
  const { retryAfterMs = 0 } = error.details as { readonly retryAfterMs?: number };
  return Math.max(backoff(failures, random, pace), Math.min(retryAfterMs, pace.maxMs));
}

function resetFailures(state: ConnectionState): ConnectionState {
  return state.failures === 0 ? state : { ...state, failures: 0, failedAt: [], givenUp: false };
}

function historyOf(state: ConnectionState): ConnectionHistory {
  const { attempt, everOpened, failures, failedAt, givenUp, restarts } = state;
  return { attempt, everOpened, failures, failedAt, givenUp, restarts };
}

/** Adds the number of crashes to the final error. */
function withFailureCount(error: HostError, failures: number): HostError {
  if (error.code !== "SERVER_CRASHED") return error;
  const details = error.details as ErrorDetails["SERVER_CRASHED"];
  return new HostError("SERVER_CRASHED", { ...details, failures }, { cause: error.cause });
}
