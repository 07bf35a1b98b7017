/**
 * One request to an authorization server. What belongs to another one, or would
 * go where it can be read on the way, is not sent. Every failure is one of ours,
 * with nothing in it that was sent in confidence.
 */
import { HostError } from "@plugboard/contracts";
import type * as OAuth from "oauth4webapi";
import type { AuthorizationServer, Client, ClientAuth, HttpRequestOptions } from "oauth4webapi";
import { quote } from "../wire/quote.ts";
import { clientAuth } from "./client-auth.ts";
import { isSafeEndpoint } from "./endpoint.ts";
import { loginFailure } from "./login-failure.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext, OAuthFetchInit } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import { unsafeEndpoint } from "./server-metadata.ts";
import type { EndpointName } from "./server-metadata.ts";

/** What the functions of `oauth4webapi` are called with. */
export interface Call {
  readonly oauth: typeof OAuth;
  readonly as: AuthorizationServer;
  readonly options: HttpRequestOptions<"POST", URLSearchParams> & HttpRequestOptions<"POST", string>;
}

export interface ClientCall extends Call {
  readonly client: Client;
  readonly auth: ClientAuth;
}

export interface Party {
  readonly provider: OAuthProvider;
  readonly client: OAuthClient;
  readonly ctx: OAuthContext;
}

/** In the name of a client. */
export async function exchangeAs<Result>(
  { provider, client, ctx }: Party,
  endpoint: EndpointName,
  run: (call: ClientCall) => Promise<Result>,
): Promise<Result> {
  refuseForeign(client, provider, ctx);
  const secrets = client.clientSecret === undefined ? [] : [client.clientSecret];
  return exchange({ provider, secrets, ctx }, endpoint, async (call) => {
    const auth = await clientAuth(client, ctx);
    return run({ ...call, client: { client_id: client.clientId }, auth });
  });
}

interface Exchange {
  readonly provider: OAuthProvider;
  /** What may be sent in a form that does not show. */
  readonly secrets?: readonly string[];
  readonly ctx: OAuthContext;
}

export async function exchange<Result>(
  { provider, secrets = [], ctx }: Exchange,
  endpoint: EndpointName,
  run: (call: Call) => Promise<Result>,
): Promise<Result> {
  const address = endpointOf(provider, endpoint, ctx);
  if (!isSafeEndpoint(address, provider.resource ?? provider.issuer)) throw unsafeEndpoint(endpoint, address, ctx);
  const oauth = await import("oauth4webapi");
  const sent = [...secrets];
  let status: number | undefined;
  const customFetch = async (url: string, init: OAuthFetchInit) => {
    sent.push(...confidential(init));
    const response = await ctx.fetch(url, init);
    ({ status } = response);
    return response;
  };
  try {
    const options = {
      [oauth.customFetch]: customFetch,
      // Only where that is safe, see above.
      [oauth.allowInsecureRequests]: true,
      ...(ctx.signal && { signal: ctx.signal }),
    };
    return await run({ oauth, as: provider.metadata, options });
  } catch (thrown) {
    throw loginFailure(thrown, { ctx, secrets: sent, status });
  }
}

export function endpointOf({ metadata, issuer }: OAuthProvider, endpoint: EndpointName, ctx: OAuthContext): string {
  const address = metadata[endpoint];
  if (address !== undefined) return address;
  const what = `the authorization server ${quote(issuer)} has no ${endpoint}`;
  throw new HostError("LOGIN_NOT_OFFERED", { server: ctx.server, what });
}

function refuseForeign(client: OAuthClient, { issuer }: OAuthProvider, { server }: OAuthContext): void {
  if (client.issuer === undefined || client.issuer === issuer) return;
  const what = `its client is known to ${quote(client.issuer)}, and would be shown to ${quote(issuer)}`;
  throw new HostError("LOGIN_UNSAFE", { server, what });
}

/** Of what is in a request, all that is not known to be no secret. */
const OPEN = new Set([
  "grant_type",
  "client_id",
  "redirect_uri",
  "scope",
  "resource",
  "client_assertion_type",
  "token_type_hint",
]);

function confidential({ body, headers }: OAuthFetchInit): string[] {
  const parameters = body instanceof URLSearchParams ? [...body] : [];
  const values = parameters.flatMap(([name, value]) => (OPEN.has(name) ? [] : [value]));
  const [, credentials] = headers["authorization"]?.split(" ") ?? [];
  return credentials === undefined ? values : [...values, credentials];
}
