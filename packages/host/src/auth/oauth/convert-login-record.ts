/** Converts a stored login record to OAuth tokens, an OAuth client and a login status, and back. Pure. */
import type { LoginStatus } from "@plugboard/contracts";
import type { OAuthClient, OAuthProvider, OAuthTokens } from "@plugboard/mcp/oauth";
import { fieldsOf } from "../vault/login-record.ts";
import type { LoginRecord, LoginKey } from "../vault/login-record.ts";

interface ObtainedLogin {
  readonly key: LoginKey;
  readonly provider: Pick<OAuthProvider, "issuer" | "resource">;
  readonly client: OAuthClient;
  readonly tokens: OAuthTokens;
  readonly now: number;
}

export function toLoginRecord({ key, provider, client, tokens, now }: ObtainedLogin): LoginRecord {
  const { refreshToken, expiresAt, scope, identity, dpopKey } = tokens;
  const { clientSecret, secretExpiresAt, redirectUri } = client;
  return {
    access_token: tokens.accessToken,
    token_type: tokens.tokenType,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(scope !== undefined && { scope }),
    ...(dpopKey && { dpop_key: dpopKey }),
    client_id: client.clientId,
    // The secret of a configured client is in the config and is not stored again.
    ...(clientSecret !== undefined && client.origin === "registered" && { client_secret: clientSecret }),
    ...(secretExpiresAt !== undefined && { client_secret_expires_at: secretExpiresAt }),
    auth_method: client.authMethod,
    client_origin: client.origin,
    ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
    issuer: provider.issuer,
    resource: provider.resource ?? key.resource,
    url: key.resource,
    ...fieldsOf(key),
    ...(identity !== undefined && { who: identity }),
    obtained_at: now,
  };
}

export function tokensFromRecord(record: LoginRecord): OAuthTokens {
  return {
    accessToken: record.access_token,
    tokenType: record.token_type,
    ...(record.refresh_token !== undefined && { refreshToken: record.refresh_token }),
    ...(record.expires_at !== undefined && { expiresAt: record.expires_at }),
    ...(record.scope !== undefined && { scope: record.scope }),
    ...(record.who !== undefined && { identity: record.who }),
    ...(record.dpop_key && { dpopKey: record.dpop_key }),
  };
}

export function clientFromRecord(record: LoginRecord): OAuthClient {
  return {
    clientId: record.client_id,
    authMethod: CLIENT_AUTH_METHODS.find((method) => method === record.auth_method) ?? "none",
    origin: record.client_origin,
    issuer: record.issuer,
    ...(record.client_secret !== undefined && { clientSecret: record.client_secret }),
    ...(record.client_secret_expires_at !== undefined && { secretExpiresAt: record.client_secret_expires_at }),
    ...(record.redirect_uri !== undefined && { redirectUri: record.redirect_uri }),
  };
}

const CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] as const;

export function statusFromRecord(record: LoginRecord): LoginStatus {
  const { account, who, issuer, scope, expires_at } = record;
  return {
    ...(account !== undefined && { account }),
    ...(who !== undefined && { user: who }),
    issuer,
    ...(scope !== undefined && { scope }),
    ...(expires_at !== undefined && { expiresAt: expires_at }),
    renewable: record.refresh_token !== undefined,
  };
}

export function secretsInRecord({ access_token, refresh_token, client_secret, dpop_key }: LoginRecord): string[] {
  return [access_token, refresh_token, client_secret, dpop_key?.d].filter((secret) => secret !== undefined);
}
