/**
 * The JWT bearer grant (RFC 7523): exchanges a signed assertion from a platform or an identity provider for tokens. If
 * the assertion is rejected, no other grant is tried.
 */
import { generateDpopKey } from "../tokens/dpop.ts";
import type { OAuthClient } from "../client/oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { resourceParameter, scopeParameter } from "../metadata/request-parameters.ts";
import { withoutOfflineAccess } from "../metadata/scopes.ts";
import { requestTokens } from "./token-request.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";

interface JwtBearerRequest {
  /** A signed JWT. */
  readonly assertion: string;
  readonly scope?: string;
}

const JWT_BEARER_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

export function jwtBearerGrant(
  provider: OAuthProvider,
  client: OAuthClient,
  { assertion, scope }: JwtBearerRequest,
  ctx: OAuthContext,
): Promise<OAuthTokens> {
  const requestedScope = withoutOfflineAccess(scope);
  const parameters = { assertion, ...scopeParameter(requestedScope), ...resourceParameter(provider) };
  const dpopKey = provider.dpop ? generateDpopKey() : undefined;
  return requestTokens(
    { provider, client, scope: requestedScope, dpopKey, ctx },
    ({ oauth, as, client, auth, options }) =>
      oauth.genericTokenEndpointRequest(as, client, auth, JWT_BEARER_GRANT, parameters, options),
  );
}
