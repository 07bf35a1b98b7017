/** How long to wait before a stream is asked for again. Pure: chance is passed in. */
import { backoff } from "../../lib/backoff.ts";

/** A server that wants to be asked again at once is not asked in a circle. */
const MIN_RETRY_MS = 100;
/** Nobody means more than that. */
const MAX_RETRY_MS = 10 * 60_000;

/** What the server asked for, else a second; longer with every failure, but never shorter than it asked for. */
export function reconnectDelay(failures: number, retryMs: number | undefined, random: () => number): number {
  const requestedMs = retryMs === undefined ? undefined : Math.min(Math.max(retryMs, MIN_RETRY_MS), MAX_RETRY_MS);
  if (failures === 0 && requestedMs !== undefined) return requestedMs;
  return Math.max(requestedMs ?? 0, backoff(Math.max(1, failures), random()));
}
