/** Renews tokens without the user. */
import { HostError } from "@plugboard/contracts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import { resourceParameter } from "./parameters.ts";
import { askForTokens } from "./token-endpoint.ts";
import type { Tokens } from "./tokens.ts";

/** What is not given anew stays: the refresh token, the scope and who it is. */
export async function refreshTokens(
  provider: OAuthProvider,
  client: OAuthClient,
  tokens: Tokens,
  ctx: OAuthContext,
): Promise<Tokens> {
  const { refreshToken, scope, who, dpopKey } = tokens;
  if (refreshToken === undefined) throw ended("there is nothing to renew it with", ctx);
  const renewed = await askForTokens(
    { provider, client, scope, dpopKey, ctx },
    ({ oauth, as, client, auth, options }) =>
      oauth.refreshTokenGrantRequest(as, client, auth, refreshToken, {
        ...options,
        additionalParameters: resourceParameter(provider),
      }),
  );
  // Nobody who has come by it is to use it without the key.
  if (dpopKey && !renewed.dpopKey) throw ended("what was bound to a key was renewed without it", ctx);
  return { refreshToken, ...(who !== undefined && { who }), ...renewed };
}

function ended(what: string, { server }: OAuthContext): HostError {
  return new HostError("LOGIN_FAILED", { server, what, error: "invalid_grant" });
}
