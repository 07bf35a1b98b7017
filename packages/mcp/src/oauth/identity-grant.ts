/**
 * Where an organisation decides who may use which server
 * (`io.modelcontextprotocol/enterprise-managed-authorization`): its identity provider
 * exchanges the user's login for a grant that the authorization server of one resource takes, by `jwtBearer`.
 */
import { isSafeEndpoint } from "./endpoint.ts";
import { exchangeAs } from "./exchange.ts";
import { jsonOf } from "./json-of.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import { resourceParameter, scopeParameter } from "./parameters.ts";
import { unattended } from "./scope.ts";
import { unsafeEndpoint } from "./server-metadata.ts";

export interface IdentityProvider {
  readonly tokenUrl: string;
  /** As whom we are known there. */
  readonly client: OAuthClient;
}

export interface IdentityGrantRequest {
  /** Of the user's login at the identity provider. */
  readonly idToken: string;
  readonly scope?: string;
}

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const TYPE = "urn:ietf:params:oauth:token-type:";

/** The assertion for `jwtBearer`, good for `provider` and its resource alone. */
export async function identityGrant(
  { tokenUrl, client }: IdentityProvider,
  provider: OAuthProvider,
  { idToken, scope }: IdentityGrantRequest,
  ctx: OAuthContext,
): Promise<string> {
  if (!isSafeEndpoint(tokenUrl)) throw unsafeEndpoint("token_endpoint", tokenUrl, ctx);
  const parameters = {
    requested_token_type: `${TYPE}id-jag`,
    subject_token: idToken,
    subject_token_type: `${TYPE}id_token`,
    audience: provider.issuer,
    ...resourceParameter(provider),
    ...scopeParameter(unattended(scope)),
  };
  const metadata = { issuer: client.issuer ?? tokenUrl, token_endpoint: tokenUrl };
  const idp: OAuthProvider = { issuer: metadata.issuer, metadata, found: "config" };
  return exchangeAs({ provider: idp, client, ctx }, "token_endpoint", async ({ oauth, as, client, auth, options }) => {
    const response = await oauth.genericTokenEndpointRequest(as, client, auth, EXCHANGE, parameters, options);
    const answer = Response.json(await jsonOf(response), { status: response.status });
    // Not a token to be shown anywhere else, so its type is none.
    const recognizedTokenTypes = { n_a: () => {} };
    const granted = await oauth.processGenericTokenEndpointResponse(as, client, answer, { recognizedTokenTypes });
    return granted.access_token;
  });
}
