/** Makes Plugboard known to an authorization server (RFC 7591). */
import { HostError, isHostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { Client, OmitSymbolProperties } from "oauth4webapi";
import { wantedAuthMethod } from "./client-auth.ts";
import { exchange } from "./exchange.ts";
import { jsonOf } from "./json-of.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import { scopeParameter } from "./parameters.ts";
import { union } from "./scope.ts";

export interface Registration {
  readonly redirectUri?: string;
  readonly scope?: string;
}

type AuthMethod = OAuthClient["authMethod"];

export async function register(
  provider: OAuthProvider,
  { redirectUri, scope }: Registration,
  ctx: OAuthContext,
): Promise<OAuthClient> {
  const wanted = wantedAuthMethod(provider.metadata);
  const registered = await exchange({ provider, ctx }, "registration_endpoint", async ({ oauth, as, options }) => {
    const client = {
      client_name: "Plugboard",
      application_type: "native",
      ...grants(provider, redirectUri),
      token_endpoint_auth_method: wanted,
      // Also what may be asked for later: a client can't ask for what it is not registered for.
      ...scopeParameter(union(provider.scopesSupported?.join(" "), scope)),
    };
    const response = await oauth.dynamicClientRegistrationRequest(as, client, options);
    const answer = await jsonOf(response);
    if (provider.found === "defaults" && typeof answer["client_id"] !== "string") throw notOffered(ctx);
    return oauth.processDynamicClientRegistrationResponse(inForm(answer, response.status));
  }).catch((error: unknown) => {
    throw isHostError(error) && error.code === "LOGIN_FAILED" ? notRegistered(error, ctx) : error;
  });
  return { ...read(registered, wanted), issuer: provider.issuer, ...(redirectUri !== undefined && { redirectUri }) };
}

const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";

function grants({ metadata }: OAuthProvider, redirectUri: string | undefined) {
  const byDevice = metadata.device_authorization_endpoint === undefined ? [] : [DEVICE];
  if (redirectUri === undefined) return { grant_types: [...byDevice, "refresh_token"], response_types: [] };
  return {
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token", ...byDevice],
    response_types: ["code"],
  };
}

/** Many leave out until when a secret holds, some say 200. */
function inForm(answer: JsonObject, status: number): Response {
  const said = Object.entries(answer).filter(([, value]) => value !== null && value !== "");
  const { client_secret_expires_at: end = 0, ...rest } = Object.fromEntries(said);
  const ends = Number(end);
  const body = { ...rest, client_secret_expires_at: ends >= 0 && Number.isFinite(ends) ? ends : 0 };
  return Response.json(body, { status: status >= 200 && status < 300 ? 201 : status });
}

function read(
  registered: OmitSymbolProperties<Client>,
  wanted: AuthMethod,
): Omit<OAuthClient, "issuer" | "redirectUri"> {
  const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: given } = registered;
  const authMethod =
    given === "none" || given === "client_secret_basic" || given === "client_secret_post" ? given : wanted;
  const base = { clientId, origin: "registered" } as const;
  if (authMethod === "none" || typeof clientSecret !== "string") return { ...base, authMethod: "none" };
  const end = registered["client_secret_expires_at"];
  const secretExpiresAt = typeof end === "number" && end > 0 ? end * 1000 : undefined;
  return { ...base, clientSecret, authMethod, ...(secretExpiresAt !== undefined && { secretExpiresAt }) };
}

/** There was reason to try, none to believe in it: nobody said that one can log in there. */
function notOffered({ server }: OAuthContext): HostError {
  const what = "it publishes no metadata, and at the addresses that older servers have, no client can be registered";
  return new HostError("LOGIN_NOT_OFFERED", { server, what });
}

function notRegistered({ details }: HostError<"LOGIN_FAILED">, { server }: OAuthContext): HostError {
  const { what, error } = details;
  const told = `Plugboard could not be registered (${what}); with a client that is set up there, set client_id`;
  return new HostError("LOGIN_FAILED", { server, what: told, ...(error !== undefined && { error }) });
}
