/**
 * What the browser comes back with, and whether it is believed: first who sent it
 * (RFC 9207), then whether it belongs to this login, and only then what it says.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import { loginFailure } from "./login-failure.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";

export interface Expected {
  readonly provider: OAuthProvider;
  readonly client: OAuthClient;
  readonly state: string;
  readonly ctx: OAuthContext;
}

/** Fit for `authorizationCodeGrantRequest`. */
export async function readAuthorizationAnswer(redirected: URL, expected: Expected): Promise<URLSearchParams> {
  const { provider, client, state, ctx } = expected;
  const { server } = ctx;
  const oauth = await import("oauth4webapi");
  try {
    const as = { ...provider.metadata, issuer: issuerOf(provider, redirected) };
    const answer = oauth.validateAuthResponse(as, { client_id: client.clientId }, redirected, state);
    if (answer.has("code")) return answer;
  } catch (thrown) {
    if (thrown instanceof oauth.AuthorizationResponseError) throw loginFailure(thrown, { ctx, secrets: [state] });
    throw new HostError("LOGIN_UNSAFE", { server, what: "what came back does not belong to this login" });
  }
  throw new HostError("LOGIN_FAILED", { server, what: "the browser came back without a code" });
}

/** What `iss` has to be, byte for byte. */
function issuerOf({ found, metadata }: OAuthProvider, redirected: URL): string {
  const { issuer } = metadata;
  const said = redirected.searchParams.get("iss");
  const page = parseUrl(said ?? "");
  if (found === "metadata" || said === null || !page) return issuer;
  // What it calls itself is not known: then it must at least be where we sent the user, or are to send the code.
  const places = [metadata.authorization_endpoint, metadata.token_endpoint].map((url) => new URL(url ?? issuer).origin);
  return places.includes(page.origin) ? said : issuer;
}
