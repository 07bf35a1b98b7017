/** How long to wait before the next attempt: doubling up to a longest, never all at the same moment. Pure. */
export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
}

export const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 1000, maxMs: 30_000 };

/** `failures` so far, at least one; `random` from 0 to 1 takes away up to half. */
export function backoff(
  failures: number,
  random: number,
  { initialMs, maxMs }: BackoffOptions = DEFAULT_BACKOFF,
): number {
  const delayMs = Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 10));
  return Math.round(delayMs * (1 - random / 2));
}
