/** The login in a browser: the authorization code grant with PKCE. Each authorization response can be redeemed once. */
import { HostError } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import { validateAuthorizationResponse } from "./authorization-response.ts";
import { generateDpopKey } from "../tokens/dpop.ts";
import { isSafeEndpoint } from "../net/safe-urls.ts";
import { requireEndpoint } from "../client/oauth-request.ts";
import type { OAuthClient } from "../client/oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { resourceParameter, scopeParameter } from "../metadata/request-parameters.ts";
import { assertPkceSupported } from "../metadata/assert-pkce-supported.ts";
import { unsafeEndpointError } from "../metadata/authorization-server-metadata.ts";
import { requestTokens } from "./token-request.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";

export interface Authorization {
  /** The URL to open in the browser. */
  readonly url: string;
  readonly state: string;
  /** Exchanges the redirect URL for tokens. */
  redeem(redirectUrl: URL): Promise<OAuthTokens>;
}

export async function beginAuthorization(
  provider: OAuthProvider,
  client: OAuthClient,
  { redirectUri, scope }: { readonly redirectUri: string; readonly scope?: string },
  ctx: OAuthContext,
): Promise<Authorization> {
  assertPkceSupported(provider, ctx);
  const endpoint = requireEndpoint(provider, "authorization_endpoint", ctx);
  if (!isSafeEndpoint(endpoint, provider.resource ?? provider.issuer)) {
    throw unsafeEndpointError("authorization_endpoint", endpoint, ctx);
  }
  if (!isSafeEndpoint(redirectUri)) {
    const reason = `the redirect URI ${describeValue(redirectUri)} is neither https nor on this machine`;
    throw new HostError("LOGIN_UNSAFE", { server: ctx.server, reason });
  }
  const oauth = await import("oauth4webapi");
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = withParameters(endpoint, {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    ...scopeParameter(scope),
    // OpenID Connect issues a refresh token only after the user's consent.
    ...(scope?.split(" ").includes("offline_access") && { prompt: "consent" }),
    ...resourceParameter(provider),
  });
  const dpopKey = provider.dpop ? generateDpopKey() : undefined;
  let redeemed = false;
  return {
    url,
    state,
    async redeem(redirectUrl) {
      const parameters = await validateAuthorizationResponse(redirectUrl, { provider, client, state, ctx });
      if (redeemed)
        throw new HostError("LOGIN_UNSAFE", {
          server: ctx.server,
          reason: "the authorization response was already used",
        });
      redeemed = true;
      return requestTokens({ provider, client, scope, dpopKey, ctx }, ({ oauth, as, client, auth, options }) =>
        oauth.authorizationCodeGrantRequest(as, client, auth, parameters, redirectUri, verifier, {
          ...options,
          additionalParameters: resourceParameter(provider),
        }),
      );
    },
  };
}

/** Keeps the endpoint's own query parameters. */
function withParameters(endpoint: string, parameters: { readonly [name: string]: string }): string {
  const url = new URL(endpoint);
  url.hash = "";
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
