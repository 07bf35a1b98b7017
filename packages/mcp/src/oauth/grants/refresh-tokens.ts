/** Gets new tokens with the refresh token, without the user. */
import { HostError } from "@plugboard/contracts";
import type { OAuthClient } from "../client/oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { resourceParameter } from "../metadata/request-parameters.ts";
import { requestTokens } from "./token-request.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";

/** Keeps the old refresh token, scope and identity if the response has no new ones. */
export async function refreshTokens(
  provider: OAuthProvider,
  client: OAuthClient,
  tokens: OAuthTokens,
  ctx: OAuthContext,
): Promise<OAuthTokens> {
  const { refreshToken, scope, identity, dpopKey } = tokens;
  if (refreshToken === undefined) throw refreshError("there is no refresh token", ctx);
  const refreshed = await requestTokens(
    { provider, client, scope, dpopKey, ctx },
    ({ oauth, as, client, auth, options }) =>
      oauth.refreshTokenGrantRequest(as, client, auth, refreshToken, {
        ...options,
        additionalParameters: resourceParameter(provider),
      }),
  );
  // A DPoP-bound token must not be replaced by one that works without the key.
  if (dpopKey && !refreshed.dpopKey) throw refreshError("a DPoP-bound token was refreshed without its key", ctx);
  return { refreshToken, ...(identity !== undefined && { identity }), ...refreshed };
}

function refreshError(reason: string, { server }: OAuthContext): HostError {
  return new HostError("LOGIN_FAILED", { server, reason, error: "invalid_grant" });
}
