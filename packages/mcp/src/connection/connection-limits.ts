/** The time and size limits of a connection. Tests override them. */
import { DEFAULT_BACKOFF } from "@plugboard/contracts";
import type { ReconnectPolicy } from "./connection-state.ts";
import { isRemote } from "./target.ts";
import type { Target } from "./target.ts";

export interface ConnectionLimits {
  /** How long a server may be silent before the legacy handshake is sent in addition to the modern probe. */
  readonly silenceMs: number;
  readonly maxMessageBytes: number;
  /** The pause after the first failure. Doubles with each further failure up to `maxRetryMs`. */
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /**
   * A process that crashes `maxCrashes` times within `crashWindowMs`, each time before it has answered a call, is no
   * longer restarted automatically. Then only a request starts it, at the earliest `restartAfterMs` after its last
   * crash.
   */
  readonly maxCrashes: number;
  readonly crashWindowMs: number;
  readonly restartAfterMs: number;
  /** How long a link must stay open to reset the failure count. */
  readonly stableAfterMs: number;
  readonly healthTimeoutMs: number;
  /** The pause before the second ping. */
  readonly healthRetryMs: number;
}

export const DEFAULT_LIMITS: ConnectionLimits = {
  // Longer than the usual start of a server. A slower dual-era server is started twice.
  silenceMs: 1500,
  maxMessageBytes: 16 * 1024 * 1024,
  firstRetryMs: DEFAULT_BACKOFF.initialMs,
  maxRetryMs: DEFAULT_BACKOFF.maxMs,
  maxCrashes: 5,
  crashWindowMs: 180_000,
  restartAfterMs: 60_000,
  stableAfterMs: 60_000,
  healthTimeoutMs: 10_000,
  healthRetryMs: 1000,
};

/** Retries remote servers forever, because they may come back. Limits the restarts of a crashing process. */
export function reconnectPolicyFor(target: Target, limits: ConnectionLimits): ReconnectPolicy {
  const { firstRetryMs, maxRetryMs, maxCrashes: failures, crashWindowMs: withinMs, restartAfterMs } = limits;
  return {
    pace: { initialMs: firstRetryMs, maxMs: maxRetryMs },
    ...(!isRemote(target) && { giveUp: { failures, withinMs, restartAfterMs } }),
  };
}
