/** Tokens for a program, without a user (`io.modelcontextprotocol/oauth-client-credentials`). */
import { newDpopKey } from "./dpop.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import { resourceParameter, scopeParameter } from "./parameters.ts";
import { unattended } from "./scope.ts";
import { askForTokens } from "./token-endpoint.ts";
import type { Tokens } from "./tokens.ts";

export interface CredentialsRequest {
  readonly scope?: string;
}

export function clientCredentials(
  provider: OAuthProvider,
  client: OAuthClient,
  { scope }: CredentialsRequest,
  ctx: OAuthContext,
): Promise<Tokens> {
  const asked = unattended(scope);
  const dpopKey = provider.dpop ? newDpopKey() : undefined;
  return askForTokens({ provider, client, scope: asked, dpopKey, ctx }, ({ oauth, as, client, auth, options }) =>
    oauth.clientCredentialsGrantRequest(
      as,
      client,
      auth,
      { ...scopeParameter(asked), ...resourceParameter(provider) },
      options,
    ),
  );
}
