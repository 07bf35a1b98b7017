/** How long to wait before the next attempt: doubling up to a longest, never all at the same moment. Pure. */
export interface Pace {
  readonly firstMs: number;
  readonly longestMs: number;
}

export const PACE: Pace = { firstMs: 1000, longestMs: 30_000 };

/** `failures` so far, at least one; `random` from 0 to 1 takes away up to half. */
export function backoff(failures: number, random: number, { firstMs, longestMs }: Pace = PACE): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10));
  return Math.round(whole * (1 - random / 2));
}
