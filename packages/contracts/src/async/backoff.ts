/** Calculates the delay before the next attempt: exponential backoff with jitter. Pure. */
export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
}

export const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 1000, maxMs: 30_000 };

/** `failures` is at least 1. `random`, between 0 and 1, shortens the delay by up to half. */
export function backoff(
  failures: number,
  random: number,
  { initialMs, maxMs }: BackoffOptions = DEFAULT_BACKOFF,
): number {
  const delayMs = Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 10));
  return Math.round(delayMs * (1 - random / 2));
}
