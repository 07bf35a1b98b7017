/** The tokens of one login. */
import type { DpopKey } from "./dpop.ts";

export interface OAuthTokens {
  readonly accessToken: string;
  /** The scheme of the `Authorization` header: `Bearer` or `DPoP`. */
  readonly tokenType: string;
  readonly refreshToken?: string;
  /** When the access token expires, by the local clock. Omitted if the server sent no usable lifetime. */
  readonly expiresAt?: number;
  readonly scope?: string;
  /** The user's name from the token. Not verified, so only for display. */
  readonly identity?: string;
  /** The private key of DPoP-bound tokens. A secret like the tokens. */
  readonly dpopKey?: DpopKey;
}
