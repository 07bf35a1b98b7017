/** What bounds a connection, in time and size. A host has these; a test may have others. */
import { PACE } from "../backoff.ts";
import type { Patience } from "./state.ts";
import { isRemote } from "./target.ts";
import type { Target } from "./target.ts";

export interface ConnectionLimits {
  /** How long a server may say nothing before the legacy handshake is tried beside the probe. */
  readonly silenceMs: number;
  readonly maxMessageBytes: number;
  /** The pause after a first failure, doubled with each further one up to the longest. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** A process that fails so often within so long is not started again. */
  readonly maxCrashes: number;
  readonly crashesWithinMs: number;
  /** How long a server must be well for its failures to be forgotten. */
  readonly settledMs: number;
  /** How long a server may take to show that it is there, and how soon it is asked a second time. */
  readonly healthTimeoutMs: number;
  readonly healthAgainMs: number;
}

export const DEFAULT_LIMITS: ConnectionLimits = {
  // Covers an ordinary start. A dual-era server that starts more slowly is started twice.
  silenceMs: 1500,
  maxMessageBytes: 16 * 1024 * 1024,
  firstRetryMs: PACE.firstMs,
  longestRetryMs: PACE.longestMs,
  maxCrashes: 5,
  crashesWithinMs: 180_000,
  settledMs: 60_000,
  healthTimeoutMs: 10_000,
  healthAgainMs: 1000,
};

/** What is far away may come back at any time; a process of ours that keeps ending is broken. */
export function patienceWith(target: Target, limits: ConnectionLimits): Patience {
  const { firstRetryMs: firstMs, longestRetryMs: longestMs, maxCrashes: failures, crashesWithinMs: withinMs } = limits;
  return { pace: { firstMs, longestMs }, ...(!isRemote(target) && { giveUp: { failures, withinMs } }) };
}
