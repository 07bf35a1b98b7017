/**
 * The client credentials grant: tokens for a program without a user
 * (`io.modelcontextprotocol/oauth-client-credentials`).
 */
import { generateDpopKey } from "../tokens/dpop.ts";
import type { OAuthClient } from "../client/oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { resourceParameter, scopeParameter } from "../metadata/request-parameters.ts";
import { withoutOfflineAccess } from "../metadata/scopes.ts";
import { requestTokens } from "./token-request.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";

export function clientCredentialsGrant(
  provider: OAuthProvider,
  client: OAuthClient,
  { scope }: { readonly scope?: string },
  ctx: OAuthContext,
): Promise<OAuthTokens> {
  const requestedScope = withoutOfflineAccess(scope);
  const dpopKey = provider.dpop ? generateDpopKey() : undefined;
  return requestTokens(
    { provider, client, scope: requestedScope, dpopKey, ctx },
    ({ oauth, as, client, auth, options }) =>
      oauth.clientCredentialsGrantRequest(
        as,
        client,
        auth,
        { ...scopeParameter(requestedScope), ...resourceParameter(provider) },
        options,
      ),
  );
}
