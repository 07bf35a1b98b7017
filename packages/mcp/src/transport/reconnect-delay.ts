/** How long to wait before a stream is asked for again. Pure: chance is passed in. */
import { backoff } from "../backoff.ts";

/** A server that wants to be asked again at once is not asked in a circle. */
const SHORTEST_MS = 100;
/** Nobody means more than that. */
const LONGEST_ASKED_MS = 10 * 60_000;

/** What the server asked for, else a second; longer with every failure, but never shorter than it asked for. */
export function reconnectDelay(failures: number, askedMs: number | undefined, random: () => number): number {
  const asked = askedMs === undefined ? undefined : Math.min(Math.max(askedMs, SHORTEST_MS), LONGEST_ASKED_MS);
  if (failures === 0 && asked !== undefined) return asked;
  return Math.max(asked ?? 0, backoff(Math.max(1, failures), random()));
}
