/** How long to wait before the next attempt: from one second doubling to thirty, never all at the same moment. Pure. */
const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/** `failures` so far, at least one; `random` from 0 to 1 takes away up to half. */
export function backoff(failures: number, random: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return Math.round(whole * (1 - random / 2));
}
