/** Decides whether tokens are refreshed before they expire. Pure. */
import type { OAuthTokens } from "./oauth-tokens.ts";

/** Tokens are refreshed this long before they expire, because requests take time and clocks differ. */
const REFRESH_EARLY_MS = 60_000;
/** Tokens that were just obtained are not refreshed again, even if the clock is wrong. */
const MIN_AGE_MS = 5_000;

/**
 * `obtainedAt` is omitted if it is unknown. If it is known, tokens with a short lifetime are refreshed only in the last
 * tenth of it. If the clock was set back, expired tokens are sent, and the server rejects them.
 */
export function shouldRefresh({ expiresAt }: OAuthTokens, now: number, obtainedAt?: number): boolean {
  if (expiresAt === undefined) return false;
  if (obtainedAt === undefined) return now >= expiresAt - REFRESH_EARLY_MS;
  if (Math.abs(now - obtainedAt) < MIN_AGE_MS) return false;
  const lifetimeMs = Math.max(0, expiresAt - obtainedAt);
  return now >= expiresAt - Math.min(REFRESH_EARLY_MS, lifetimeMs / 10);
}
