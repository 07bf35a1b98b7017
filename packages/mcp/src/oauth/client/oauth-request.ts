/**
 * Sends one request to an authorization server. Rejects unsafe endpoints and a client of another authorization server.
 * Every failure is a `HostError` without secrets.
 */
import { HostError } from "@plugboard/contracts";
import type * as OAuth from "oauth4webapi";
import type { AuthorizationServer, Client, ClientAuth, HttpRequestOptions } from "oauth4webapi";
import { describeValue } from "../../lib/describe-value.ts";
import { clientAuth } from "./client-auth.ts";
import { isSafeEndpoint } from "../net/safe-urls.ts";
import { toLoginError } from "../net/to-login-error.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext, OAuthFetchInit } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { unsafeEndpointError } from "../metadata/authorization-server-metadata.ts";
import type { EndpointName } from "../metadata/authorization-server-metadata.ts";

/** The arguments for the functions of `oauth4webapi`. */
export interface OAuthRequest {
  readonly oauth: typeof OAuth;
  /** The metadata of the authorization server. */
  readonly as: AuthorizationServer;
  readonly options: HttpRequestOptions<"POST", URLSearchParams> & HttpRequestOptions<"POST", string>;
}

export interface OAuthClientRequest extends OAuthRequest {
  readonly client: Client;
  readonly auth: ClientAuth;
}

export interface OAuthClientContext {
  readonly provider: OAuthProvider;
  readonly client: OAuthClient;
  readonly ctx: OAuthContext;
}

/** Sends a request that is authenticated as the client. */
export async function sendClientRequest<Result>(
  { provider, client, ctx }: OAuthClientContext,
  endpoint: EndpointName,
  run: (call: OAuthClientRequest) => Promise<Result>,
): Promise<Result> {
  assertSameIssuer(client, provider, ctx);
  const secrets = client.clientSecret === undefined ? [] : [client.clientSecret];
  return sendOAuthRequest({ provider, secrets, ctx }, endpoint, async (call) => {
    const auth = await clientAuth(client, ctx);
    return run({ ...call, client: { client_id: client.clientId }, auth });
  });
}

interface OAuthRequestOptions {
  readonly provider: OAuthProvider;
  /** Secrets that the request may contain in encoded form. */
  readonly secrets?: readonly string[];
  readonly ctx: OAuthContext;
}

/** Calls `run` with the arguments for `oauth4webapi`. Secrets of the request do not appear in errors. */
export async function sendOAuthRequest<Result>(
  { provider, secrets = [], ctx }: OAuthRequestOptions,
  endpoint: EndpointName,
  run: (call: OAuthRequest) => Promise<Result>,
): Promise<Result> {
  const endpointUrl = requireEndpoint(provider, endpoint, ctx);
  if (!isSafeEndpoint(endpointUrl, provider.resource ?? provider.issuer))
    throw unsafeEndpointError(endpoint, endpointUrl, ctx);
  const oauth = await import("oauth4webapi");
  const secretsSent = [...secrets];
  let status: number | undefined;
  const customFetch = async (url: string, init: OAuthFetchInit) => {
    secretsSent.push(...secretsInRequest(init));
    const response = await ctx.fetch(url, init);
    ({ status } = response);
    return response;
  };
  try {
    const options = {
      [oauth.customFetch]: customFetch,
      // `isSafeEndpoint` has already checked the URL.
      [oauth.allowInsecureRequests]: true,
      ...(ctx.signal && { signal: ctx.signal }),
    };
    return await run({ oauth, as: provider.metadata, options });
  } catch (thrown) {
    throw toLoginError(thrown, { ctx, secrets: secretsSent, status });
  }
}

export function requireEndpoint(
  { metadata, issuer }: OAuthProvider,
  endpoint: EndpointName,
  ctx: OAuthContext,
): string {
  const endpointUrl = metadata[endpoint];
  if (endpointUrl !== undefined) return endpointUrl;
  const reason = `the authorization server ${describeValue(issuer)} has no ${endpoint}`;
  throw new HostError("LOGIN_NOT_OFFERED", { server: ctx.server, reason });
}

function assertSameIssuer(client: OAuthClient, { issuer }: OAuthProvider, { server }: OAuthContext): void {
  if (client.issuer === undefined || client.issuer === issuer) return;
  const reason = `its client is registered at ${describeValue(client.issuer)}, but the login is at ${describeValue(issuer)}`;
  throw new HostError("LOGIN_UNSAFE", { server, reason });
}

/** All other parameters are treated as secrets. */
const NON_SECRET_PARAMETERS = new Set([
  "grant_type",
  "client_id",
  "redirect_uri",
  "scope",
  "resource",
  "client_assertion_type",
  "token_type_hint",
]);

function secretsInRequest({ body, headers }: OAuthFetchInit): string[] {
  const parameters = body instanceof URLSearchParams ? [...body] : [];
  const values = parameters.flatMap(([name, value]) => (NON_SECRET_PARAMETERS.has(name) ? [] : [value]));
  const [, credentials] = headers["authorization"]?.split(" ") ?? [];
  return credentials === undefined ? values : [...values, credentials];
}
