/** Renews tokens without the user. */
import { HostError } from "@plugboard/contracts";
import type { OAuthClient } from "../client/oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { resourceParameter } from "../metadata/request-parameters.ts";
import { requestTokens } from "./token-request.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";

/** What is not given anew stays: the refresh token, the scope and who it is. */
export async function refreshTokens(
  provider: OAuthProvider,
  client: OAuthClient,
  tokens: OAuthTokens,
  ctx: OAuthContext,
): Promise<OAuthTokens> {
  const { refreshToken, scope, identity, dpopKey } = tokens;
  if (refreshToken === undefined) throw refreshError("there is nothing to renew it with", ctx);
  const refreshed = await requestTokens(
    { provider, client, scope, dpopKey, ctx },
    ({ oauth, as, client, auth, options }) =>
      oauth.refreshTokenGrantRequest(as, client, auth, refreshToken, {
        ...options,
        additionalParameters: resourceParameter(provider),
      }),
  );
  // Nobody who has come by it is to use it without the key.
  if (dpopKey && !refreshed.dpopKey) throw refreshError("what was bound to a key was renewed without it", ctx);
  return { refreshToken, ...(identity !== undefined && { identity }), ...refreshed };
}

function refreshError(reason: string, { server }: OAuthContext): HostError {
  return new HostError("LOGIN_FAILED", { server, reason, error: "invalid_grant" });
}
