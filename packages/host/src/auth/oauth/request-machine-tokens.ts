/** Requests tokens without a user, with the client credentials in the definition of the server. */
import type { OAuthClient, OAuthContext, OAuthProvider, OAuthTokens } from "@plugboard/mcp/oauth";
import type { Auth } from "@plugboard/config";
import type { OAuth } from "./provider-discovery.ts";

export type MachineAuth = Extract<Auth<string>, { type: "client_credentials" | "enterprise" }>;

export interface MachineTokenRequest {
  readonly oauth: OAuth;
  readonly provider: OAuthProvider;
  /** The content of `machineAuthFile`. Empty if the definition names no file. */
  readonly fileContent: string;
  readonly scope: string | undefined;
  /** The issuer that the client belongs to, if a token was granted before. */
  readonly issuer: string | undefined;
  readonly ctx: OAuthContext;
}

/** Returns the file with the key, assertion or ID token, which is read before each request for tokens. */
export function machineAuthFile(auth: MachineAuth): string | undefined {
  return auth.type === "enterprise" ? auth.idTokenFile : (auth.privateKeyFile ?? auth.assertionFile);
}

export async function requestMachineTokens(auth: MachineAuth, request: MachineTokenRequest): Promise<OAuthTokens> {
  const { oauth, provider, fileContent, issuer, ctx } = request;
  const { clientId, clientSecret } = auth;
  const scopeParams = request.scope === undefined ? {} : { scope: request.scope };
  if (auth.type === "enterprise") {
    const idpClient = configuredClient({ clientId: auth.idpClientId, clientSecret: auth.idpClientSecret });
    const identityProvider = { tokenUrl: auth.idpTokenUrl, client: idpClient };
    const assertion = await oauth.identityGrant(
      identityProvider,
      provider,
      { idToken: fileContent, ...scopeParams },
      ctx,
    );
    return oauth.jwtBearerGrant(
      provider,
      configuredClient({ clientId, clientSecret, issuer }),
      { assertion, ...scopeParams },
      ctx,
    );
  }
  const privateKey = auth.privateKeyFile === undefined ? undefined : fileContent;
  const client = configuredClient({ clientId, clientSecret, privateKey, issuer });
  if (auth.assertionFile !== undefined)
    return oauth.jwtBearerGrant(provider, client, { assertion: fileContent, ...scopeParams }, ctx);
  return oauth.clientCredentialsGrant(provider, client, scopeParams, ctx);
}

interface ClientConfig {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly issuer?: string | undefined;
}

function configuredClient({ clientId, clientSecret, privateKey, issuer }: ClientConfig): OAuthClient {
  const base = { clientId, origin: "configured" as const, ...(issuer !== undefined && { issuer }) };
  if (privateKey !== undefined) return { ...base, privateKey, authMethod: "private_key_jwt" };
  if (clientSecret !== undefined) return { ...base, clientSecret, authMethod: "client_secret_basic" };
  return { ...base, authMethod: "none" };
}
