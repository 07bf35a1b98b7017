/** Tells an authorization server that tokens are not needed any more (RFC 7009). */
import { exchangeAs } from "./exchange.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import type { Tokens } from "./tokens.ts";

/** Whether it took all of them back. A server that can't be reached keeps nobody from logging out. */
export async function revokeTokens(
  provider: OAuthProvider,
  client: OAuthClient,
  { accessToken, refreshToken }: Tokens,
  ctx: OAuthContext,
): Promise<"yes" | "no" | "unsupported"> {
  if (provider.metadata.revocation_endpoint === undefined) return "unsupported";
  const revoke = (token: string, hint: string) =>
    exchangeAs({ provider, client, ctx }, "revocation_endpoint", async ({ oauth, as, client, auth, options }) => {
      const additionalParameters = { token_type_hint: hint };
      const response = await oauth.revocationRequest(as, client, auth, token, { ...options, additionalParameters });
      await response.body?.cancel();
      return response.ok;
    }).catch(() => false);
  // What could be used to get another one comes first.
  const refresh = refreshToken === undefined || (await revoke(refreshToken, "refresh_token"));
  const access = await revoke(accessToken, "access_token");
  return refresh && access ? "yes" : "no";
}
