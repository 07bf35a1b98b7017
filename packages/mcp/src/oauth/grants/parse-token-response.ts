/** What a token answer means to us. */
import type { JsonObject } from "@plugboard/contracts";
import type { TokenEndpointResponse } from "oauth4webapi";
import type { DpopKey } from "../tokens/dpop.ts";
import { unionScopes } from "../metadata/scopes.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";
import { tokenIdentity } from "./token-identity.ts";

interface TokenResponse {
  readonly granted: TokenEndpointResponse;
  /** As it came. */
  readonly body: JsonObject;
  /** By our clock, before the request left: so a token never seems to hold longer than it does. */
  readonly requestedAt: number;
  /** What was asked for. */
  readonly scope?: string | undefined;
  readonly dpopKey?: DpopKey | undefined;
}

export function parseTokenResponse({ granted, body, requestedAt, scope: asked, dpopKey }: TokenResponse): OAuthTokens {
  const { access_token: accessToken, token_type: type, refresh_token: refreshToken } = granted;
  // It is shown, and asked for again.
  const scope = unionScopes(granted.scope) ?? asked;
  const bound = type === "dpop";
  if (bound && !dpopKey) throw new Error("its tokens are bound to a key that was not asked for");
  const expiresAt = toExpiresAt(body["expires_in"], requestedAt);
  const identity = tokenIdentity(body["id_token"]) ?? tokenIdentity(accessToken);
  return {
    accessToken,
    tokenType: bound ? "DPoP" : "Bearer",
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(scope !== undefined && { scope }),
    ...(identity !== undefined && { identity }),
    ...(bound && dpopKey && { dpopKey }),
  };
}

/** No server takes a header that is longer. */
const MAX_TOKEN_LENGTH = 64 * 1024;

/** Whether they can be sent at all: one that can't would be kept, and fail every request. */
export function areSendable({ accessToken, refreshToken = "" }: OAuthTokens): boolean {
  const isSendable = /^[\x20-\x7e\x80-\xff]*$/.test(accessToken);
  return isSendable && accessToken.length <= MAX_TOKEN_LENGTH && refreshToken.length <= MAX_TOKEN_LENGTH;
}

/** Longer than anybody means; some say so for "never". */
const MAX_EXPIRES_S = 100 * 365 * 24 * 60 * 60;

/** Nothing if it holds for no time, which some also mean as "never": then it is renewed when it is refused. */
function toExpiresAt(expiresIn: unknown, requestedAt: number): number | undefined {
  const seconds = typeof expiresIn === "string" && expiresIn.trim() !== "" ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== "number" || !(seconds > 0 && seconds <= MAX_EXPIRES_S)) return undefined;
  return Math.floor(requestedAt + seconds * 1000);
}
