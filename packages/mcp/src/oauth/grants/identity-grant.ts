/**
 * Login through an organisation's identity provider (`io.modelcontextprotocol/enterprise-managed-authorization`).
 * Exchanges the user's ID token for an assertion. `jwtBearerGrant` exchanges the assertion for tokens of one resource.
 */
import { isSafeEndpoint } from "../net/safe-urls.ts";
import { sendClientRequest } from "../client/oauth-request.ts";
import { readJsonObject } from "../net/read-json-object.ts";
import type { OAuthClient } from "../client/oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { resourceParameter, scopeParameter } from "../metadata/request-parameters.ts";
import { withoutOfflineAccess } from "../metadata/scopes.ts";
import { unsafeEndpointError } from "../metadata/authorization-server-metadata.ts";

interface IdentityProvider {
  readonly tokenUrl: string;
  /** Plugboard's client at the identity provider. */
  readonly client: OAuthClient;
}

interface IdentityGrantRequest {
  /** The ID token of the user's login at the identity provider. */
  readonly idToken: string;
  readonly scope?: string;
}

const TOKEN_EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const TOKEN_TYPE_PREFIX = "urn:ietf:params:oauth:token-type:";

/** Returns the assertion for `jwtBearerGrant`. It is valid for this provider and resource only. */
export async function identityGrant(
  { tokenUrl, client }: IdentityProvider,
  provider: OAuthProvider,
  { idToken, scope }: IdentityGrantRequest,
  ctx: OAuthContext,
): Promise<string> {
  if (!isSafeEndpoint(tokenUrl)) throw unsafeEndpointError("token_endpoint", tokenUrl, ctx);
  const parameters = {
    requested_token_type: `${TOKEN_TYPE_PREFIX}id-jag`,
    subject_token: idToken,
    subject_token_type: `${TOKEN_TYPE_PREFIX}id_token`,
    audience: provider.issuer,
    ...resourceParameter(provider),
    ...scopeParameter(withoutOfflineAccess(scope)),
  };
  const metadata = { issuer: client.issuer ?? tokenUrl, token_endpoint: tokenUrl };
  const idp: OAuthProvider = { issuer: metadata.issuer, metadata, source: "config" };
  return sendClientRequest(
    { provider: idp, client, ctx },
    "token_endpoint",
    async ({ oauth, as, client, auth, options }) => {
      const response = await oauth.genericTokenEndpointRequest(
        as,
        client,
        auth,
        TOKEN_EXCHANGE_GRANT,
        parameters,
        options,
      );
      const answer = Response.json(await readJsonObject(response), { status: response.status });
      // The assertion is not an access token, so its token type is `n_a`.
      const recognizedTokenTypes = { n_a: () => {} };
      const granted = await oauth.processGenericTokenEndpointResponse(as, client, answer, { recognizedTokenTypes });
      return granted.access_token;
    },
  );
}
