/** Validates the authorization response: first its issuer (RFC 9207), then its state, then its content. */
import { HostError, parseUrl } from "@plugboard/contracts";
import { toLoginError } from "../net/to-login-error.ts";
import type { OAuthClient } from "../client/oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";

export interface ExpectedAuthorization {
  readonly provider: OAuthProvider;
  readonly client: OAuthClient;
  readonly state: string;
  readonly ctx: OAuthContext;
}

/** Returns the parameters for `authorizationCodeGrantRequest`. */
export async function validateAuthorizationResponse(
  redirectUrl: URL,
  expected: ExpectedAuthorization,
): Promise<URLSearchParams> {
  const { provider, client, state, ctx } = expected;
  const { server } = ctx;
  const oauth = await import("oauth4webapi");
  try {
    const as = { ...provider.metadata, issuer: expectedIssuer(provider, redirectUrl) };
    const parameters = oauth.validateAuthResponse(as, { client_id: client.clientId }, redirectUrl, state);
    if (parameters.has("code")) return parameters;
  } catch (thrown) {
    if (thrown instanceof oauth.AuthorizationResponseError) throw toLoginError(thrown, { ctx, secrets: [state] });
    throw new HostError("LOGIN_UNSAFE", { server, reason: "the authorization response does not belong to this login" });
  }
  throw new HostError("LOGIN_FAILED", { server, reason: "the authorization response has no code" });
}

/** Returns the value that the `iss` parameter must have, if it is present. */
function expectedIssuer({ source, metadata }: OAuthProvider, redirectUrl: URL): string {
  const { issuer } = metadata;
  const iss = redirectUrl.searchParams.get("iss");
  const issUrl = parseUrl(iss ?? "");
  if (source === "metadata" || iss === null || !issUrl) return issuer;
  // Without metadata the issuer is unknown. Then `iss` must have the origin of one of the endpoints.
  const allowedOrigins = [metadata.authorization_endpoint, metadata.token_endpoint].map(
    (url) => new URL(url ?? issuer).origin,
  );
  return allowedOrigins.includes(issUrl.origin) ? iss : issuer;
}
