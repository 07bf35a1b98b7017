/** What bounds a connection, in time and size. A host has these; a test may have others. */
import { DEFAULT_BACKOFF } from "../lib/backoff.ts";
import type { ReconnectPolicy } from "./connection-state.ts";
import { isRemote } from "./target.ts";
import type { Target } from "./target.ts";

export interface ConnectionLimits {
  /** How long a server may say nothing before the legacy handshake is tried beside the probe. */
  readonly silenceMs: number;
  readonly maxMessageBytes: number;
  /** The pause after a first failure, doubled with each further one up to the longest. */
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /** A process that fails so often within so long is not started again. */
  readonly maxCrashes: number;
  readonly crashWindowMs: number;
  /** How long a server must be well for its failures to be forgotten. */
  readonly stableAfterMs: number;
  /** How long a server may take to show that it is there, and how soon it is asked a second time. */
  readonly healthTimeoutMs: number;
  readonly healthRetryMs: number;
}

export const DEFAULT_LIMITS: ConnectionLimits = {
  // Covers an ordinary start. A dual-era server that starts more slowly is started twice.
  silenceMs: 1500,
  maxMessageBytes: 16 * 1024 * 1024,
  firstRetryMs: DEFAULT_BACKOFF.initialMs,
  maxRetryMs: DEFAULT_BACKOFF.maxMs,
  maxCrashes: 5,
  crashWindowMs: 180_000,
  stableAfterMs: 60_000,
  healthTimeoutMs: 10_000,
  healthRetryMs: 1000,
};

/** What is far away may come back at any time; a process of ours that keeps ending is broken. */
export function reconnectPolicyFor(target: Target, limits: ConnectionLimits): ReconnectPolicy {
  const { firstRetryMs: firstMs, maxRetryMs: longestMs, maxCrashes: failures, crashWindowMs: withinMs } = limits;
  return {
    pace: { initialMs: firstMs, maxMs: longestMs },
    ...(!isRemote(target) && { giveUp: { failures, withinMs } }),
  };
}
