/** Converts a token response to `OAuthTokens`. */
import type { JsonObject } from "@plugboard/contracts";
import type { TokenEndpointResponse } from "oauth4webapi";
import type { DpopKey } from "../tokens/dpop.ts";
import { unionScopes } from "../metadata/scopes.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";
import { tokenIdentity } from "./token-identity.ts";

interface TokenResponse {
  readonly granted: TokenEndpointResponse;
  /** The response body as received. */
  readonly body: JsonObject;
  /** Measured before the request, so that a token never seems to be valid longer than it is. */
  readonly requestedAt: number;
  /** The requested scope. */
  readonly scope?: string | undefined;
  readonly dpopKey?: DpopKey | undefined;
}

export function parseTokenResponse({
  granted,
  body,
  requestedAt,
  scope: requestedScope,
  dpopKey,
}: TokenResponse): OAuthTokens {
  const { access_token: accessToken, token_type: type, refresh_token: refreshToken } = granted;
  // Normalises the scope, because it is displayed and requested again later.
  const scope = unionScopes(granted.scope) ?? requestedScope;
  const isDpopBound = type === "dpop";
  if (isDpopBound && !dpopKey) throw new Error("its tokens are bound to a key that was not requested");
  const expiresAt = toExpiresAt(body["expires_in"], requestedAt);
  const identity = tokenIdentity(body["id_token"]) ?? tokenIdentity(accessToken);
  return {
    accessToken,
    tokenType: isDpopBound ? "DPoP" : "Bearer",
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(scope !== undefined && { scope }),
    ...(identity !== undefined && { identity }),
    ...(isDpopBound && dpopKey && { dpopKey }),
  };
}

/** A longer token does not fit in a header that servers accept. */
const MAX_TOKEN_LENGTH = 64 * 1024;

/** Returns false if a token can't be sent in a header. */
export function areSendable({ accessToken, refreshToken = "" }: OAuthTokens): boolean {
  const isSendable = /^[\x20-\x7e\x80-\xff]*$/.test(accessToken);
  return isSendable && accessToken.length <= MAX_TOKEN_LENGTH && refreshToken.length <= MAX_TOKEN_LENGTH;
}

/** A longer lifetime means "never". */
const MAX_EXPIRES_S = 100 * 365 * 24 * 60 * 60;

/**
 * Returns undefined for a missing or zero lifetime, which some servers send for "never". The token is then refreshed
 * only when it is rejected.
 */
function toExpiresAt(expiresIn: unknown, requestedAt: number): number | undefined {
  const seconds = typeof expiresIn === "string" && expiresIn.trim() !== "" ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== "number" || !(seconds > 0 && seconds <= MAX_EXPIRES_S)) return undefined;
  return Math.floor(requestedAt + seconds * 1000);
}
