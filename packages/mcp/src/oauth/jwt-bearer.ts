/**
 * Tokens for an assertion that somebody else has signed (RFC 7523): what a
 * platform gives to a workload, or what an identity provider gives for a login
 * there. Tried once: what was refused is not tried in another way.
 */
import { newDpopKey } from "./dpop.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import { resourceParameter, scopeParameter } from "./parameters.ts";
import { unattended } from "./scope.ts";
import { askForTokens } from "./token-endpoint.ts";
import type { Tokens } from "./tokens.ts";

export interface BearerAssertion {
  /** A JWT. */
  readonly assertion: string;
  readonly scope?: string;
}

const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

export function jwtBearer(
  provider: OAuthProvider,
  client: OAuthClient,
  { assertion, scope }: BearerAssertion,
  ctx: OAuthContext,
): Promise<Tokens> {
  const asked = unattended(scope);
  const parameters = { assertion, ...scopeParameter(asked), ...resourceParameter(provider) };
  const dpopKey = provider.dpop ? newDpopKey() : undefined;
  return askForTokens({ provider, client, scope: asked, dpopKey, ctx }, ({ oauth, as, client, auth, options }) =>
    oauth.genericTokenEndpointRequest(as, client, auth, GRANT, parameters, options),
  );
}
