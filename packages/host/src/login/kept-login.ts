/** A login as it lies in the file, and as it is used: the one made of the other. */
import type { LoginStatus } from "@plugboard/contracts";
import type { OAuthClient, OAuthProvider, Tokens } from "@plugboard/mcp/oauth";
import type { KeptLogin, LoginKey } from "./stored-login.ts";

interface Made {
  readonly key: LoginKey;
  readonly provider: Pick<OAuthProvider, "issuer" | "resource">;
  readonly client: OAuthClient;
  readonly tokens: Tokens;
  readonly now: number;
}

export function toKept({ key, provider, client, tokens, now }: Made): KeptLogin {
  const { refreshToken, expiresAt, scope, who, dpopKey } = tokens;
  const { clientSecret, secretExpiresAt, redirectUri } = client;
  return {
    access_token: tokens.accessToken,
    token_type: tokens.tokenType,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(scope !== undefined && { scope }),
    ...(dpopKey && { dpop_key: dpopKey }),
    client_id: client.clientId,
    // What the config has, the config keeps.
    ...(clientSecret !== undefined && client.origin === "registered" && { client_secret: clientSecret }),
    ...(secretExpiresAt !== undefined && { client_secret_expires_at: secretExpiresAt }),
    auth_method: client.authMethod,
    client_origin: client.origin,
    ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
    issuer: provider.issuer,
    resource: provider.resource ?? key.resource,
    url: key.resource,
    ...(key.account !== undefined && { account: key.account }),
    ...(who !== undefined && { who }),
    obtained_at: now,
  };
}

export function tokensOf(kept: KeptLogin): Tokens {
  return {
    accessToken: kept.access_token,
    tokenType: kept.token_type,
    ...(kept.refresh_token !== undefined && { refreshToken: kept.refresh_token }),
    ...(kept.expires_at !== undefined && { expiresAt: kept.expires_at }),
    ...(kept.scope !== undefined && { scope: kept.scope }),
    ...(kept.who !== undefined && { who: kept.who }),
    ...(kept.dpop_key && { dpopKey: kept.dpop_key }),
  };
}

export function clientOf(kept: KeptLogin): OAuthClient {
  return {
    clientId: kept.client_id,
    authMethod: METHODS.find((method) => method === kept.auth_method) ?? "none",
    origin: kept.client_origin,
    issuer: kept.issuer,
    ...(kept.client_secret !== undefined && { clientSecret: kept.client_secret }),
    ...(kept.client_secret_expires_at !== undefined && { secretExpiresAt: kept.client_secret_expires_at }),
    ...(kept.redirect_uri !== undefined && { redirectUri: kept.redirect_uri }),
  };
}

const METHODS = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] as const;

export function statusOf(kept: KeptLogin): LoginStatus {
  const { account, who, issuer, scope, expires_at } = kept;
  return {
    ...(account !== undefined && { account }),
    ...(who !== undefined && { who }),
    issuer,
    ...(scope !== undefined && { scope }),
    ...(expires_at !== undefined && { expires_at }),
    renewable: kept.refresh_token !== undefined,
  };
}

export function secretsIn({ access_token, refresh_token, client_secret, dpop_key }: KeptLogin): string[] {
  return [access_token, refresh_token, client_secret, dpop_key?.d].filter((secret) => secret !== undefined);
}
