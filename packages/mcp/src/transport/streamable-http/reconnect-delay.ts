/** Calculates the delay before a stream is reopened. Pure. */
import { backoff } from "@plugboard/contracts";

/** Prevents a busy loop if the server asks to reconnect immediately. */
const MIN_RETRY_MS = 100;
/** Limits the delay that a server can ask for. */
const MAX_RETRY_MS = 10 * 60_000;

/** Returns the delay that the server asked for, or else up to one second. Repeated failures increase it. */
export function reconnectDelay(failures: number, retryMs: number | undefined, random: () => number): number {
  const requestedMs = retryMs === undefined ? undefined : Math.min(Math.max(retryMs, MIN_RETRY_MS), MAX_RETRY_MS);
  if (failures === 0 && requestedMs !== undefined) return requestedMs;
  return Math.max(requestedMs ?? 0, backoff(Math.max(1, failures), random()));
}
