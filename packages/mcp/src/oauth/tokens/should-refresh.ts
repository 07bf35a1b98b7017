/** When tokens are renewed before they end. Pure. */
import type { OAuthTokens } from "./oauth-tokens.ts";

/** Before the end: for what is under way, and for clocks that differ a little. */
const REFRESH_EARLY_MS = 60_000;
/** What was renewed just now is not renewed again, whatever the clock says: if it is refused, that will show. */
const MIN_AGE_MS = 5_000;

/**
 * `renewedAt`: when these tokens were got, if it is known; it says how long they hold in all. Without it, and on the
 * word of a clock that was set back, they are sent as they are: the server refuses what has ended.
 */
export function shouldRefresh({ expiresAt }: OAuthTokens, now: number, obtainedAt?: number): boolean {
  if (expiresAt === undefined) return false;
  if (obtainedAt === undefined) return now >= expiresAt - REFRESH_EARLY_MS;
  if (Math.abs(now - obtainedAt) < MIN_AGE_MS) return false;
  const lifetimeMs = Math.max(0, expiresAt - obtainedAt);
  return now >= expiresAt - Math.min(REFRESH_EARLY_MS, lifetimeMs / 10);
}
