/** When tokens are renewed before they end. Pure. */
import type { Tokens } from "./tokens.ts";

/** Before the end: for what is under way, and for clocks that differ a little. */
const EARLY_MS = 60_000;
/** What was renewed just now is not renewed again, whatever the clock says: if it is refused, that will show. */
const JUST_NOW_MS = 5_000;

/**
 * `renewedAt`: when these tokens were got, if it is known; it says how long they hold in all. Without it, and on the
 * word of a clock that was set back, they are sent as they are: the server refuses what has ended.
 */
export function shouldRenew({ expiresAt }: Tokens, now: number, renewedAt?: number): boolean {
  if (expiresAt === undefined) return false;
  if (renewedAt === undefined) return now >= expiresAt - EARLY_MS;
  if (Math.abs(now - renewedAt) < JUST_NOW_MS) return false;
  const life = Math.max(0, expiresAt - renewedAt);
  return now >= expiresAt - Math.min(EARLY_MS, life / 10);
}
