/** How long to wait before a stream is asked for again. Pure: chance is passed in. */
const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
/** A server that wants to be asked again at once is not asked in a circle. */
const SHORTEST_MS = 100;
/** Nobody means more than that. */
const LONGEST_ASKED_MS = 10 * 60_000;

/**
 * What the server asked for, else a second. From the first failure on it is longer each time, and by chance a little
 * shorter, so that not everybody comes back in the same moment.
 */
export function reconnectDelay(failures: number, askedMs: number | undefined, random: () => number): number {
  const asked = askedMs === undefined ? undefined : Math.min(Math.max(askedMs, SHORTEST_MS), LONGEST_ASKED_MS);
  if (failures === 0 && asked !== undefined) return asked;
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.max(asked ?? 0, Math.round(full * (0.5 + random() / 2)));
}
