/** Revokes tokens at the authorization server (RFC 7009). */
import { sendClientRequest } from "../client/oauth-request.ts";
import { readJsonObject } from "../net/read-json-object.ts";
import type { OAuthClient } from "../client/oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";

/** `unsupported`: the authorization server can't revoke the tokens. */
type RevocationResult = "yes" | "no" | "unsupported";

/**
 * Returns `no` if the revocation of a token failed, and `yes` if at least one token was revoked and none failed. Never
 * rejects, so that a logout works without the authorization server.
 */
export async function revokeTokens(
  provider: OAuthProvider,
  client: OAuthClient,
  { accessToken, refreshToken }: OAuthTokens,
  ctx: OAuthContext,
): Promise<RevocationResult> {
  if (provider.metadata.revocation_endpoint === undefined) return "unsupported";
  const revoke = (token: string, hint: string) =>
    sendClientRequest(
      { provider, client, ctx },
      "revocation_endpoint",
      async ({ oauth, as, client, auth, options }) => {
        const additionalParameters = { token_type_hint: hint };
        const response = await oauth.revocationRequest(as, client, auth, token, { ...options, additionalParameters });
        return toRevocationResult(response);
      },
    ).catch((): RevocationResult => "no");
  // Revokes the refresh token first, because it could be used to get new tokens.
  const results = refreshToken === undefined ? [] : [await revoke(refreshToken, "refresh_token")];
  results.push(await revoke(accessToken, "access_token"));
  return results.includes("no") ? "no" : results.includes("yes") ? "yes" : "unsupported";
}

/** Some servers can't revoke self-contained tokens and say so with `unsupported_token_type`. */
async function toRevocationResult(response: Response): Promise<RevocationResult> {
  const { error } = await readJsonObject(response);
  if (response.ok) return "yes";
  return error === "unsupported_token_type" ? "unsupported" : "no";
}
