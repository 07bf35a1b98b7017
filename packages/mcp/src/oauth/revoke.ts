/** Tells an authorization server that tokens are not needed any more (RFC 7009). */
import { exchangeAs } from "./exchange.ts";
import { jsonOf } from "./json-of.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import type { Tokens } from "./tokens.ts";

type Revoked = "yes" | "no" | "unsupported";

/** Whether it took back all that it can. A server that can't be reached keeps nobody from logging out. */
export async function revokeTokens(
  provider: OAuthProvider,
  client: OAuthClient,
  { accessToken, refreshToken }: Tokens,
  ctx: OAuthContext,
): Promise<Revoked> {
  if (provider.metadata.revocation_endpoint === undefined) return "unsupported";
  const revoke = (token: string, hint: string) =>
    exchangeAs({ provider, client, ctx }, "revocation_endpoint", async ({ oauth, as, client, auth, options }) => {
      const additionalParameters = { token_type_hint: hint };
      const response = await oauth.revocationRequest(as, client, auth, token, { ...options, additionalParameters });
      return outcome(response);
    }).catch((): Revoked => "no");
  // What others are made from comes first.
  const done = refreshToken === undefined ? [] : [await revoke(refreshToken, "refresh_token")];
  done.push(await revoke(accessToken, "access_token"));
  return done.includes("no") ? "no" : done.includes("yes") ? "yes" : "unsupported";
}

/** A token that carries its own end can't be taken back everywhere. */
async function outcome(response: Response): Promise<Revoked> {
  const { error } = await jsonOf(response);
  if (response.ok) return "yes";
  return error === "unsupported_token_type" ? "unsupported" : "no";
}
