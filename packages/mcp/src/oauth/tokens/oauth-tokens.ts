/** What an authorization server has granted. */
import type { DpopKey } from "./dpop.ts";

export interface OAuthTokens {
  readonly accessToken: string;
  /** As it is sent: `Bearer`, or `DPoP`. */
  readonly tokenType: string;
  readonly refreshToken?: string;
  /** By our clock; absent if it was not said, or can't be meant. */
  readonly expiresAt?: number;
  readonly scope?: string;
  /** Who logged in, as the tokens put it. Not verified: to be shown, never relied on. */
  readonly identity?: string;
  /** A secret like the tokens, which are of no use without it. */
  readonly dpopKey?: DpopKey;
}
