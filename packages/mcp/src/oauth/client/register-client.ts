/** Registers Plugboard at an authorization server (RFC 7591). */
import { HostError, isHostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { Client, OmitSymbolProperties } from "oauth4webapi";
import { chooseRegistrationAuthMethod } from "./client-auth.ts";
import { sendOAuthRequest } from "./oauth-request.ts";
import { readJsonObject } from "../net/read-json-object.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { scopeParameter } from "../metadata/request-parameters.ts";
import { unionScopes } from "../metadata/scopes.ts";

type AuthMethod = OAuthClient["authMethod"];

export async function registerClient(
  provider: OAuthProvider,
  { redirectUri, scope }: { readonly redirectUri?: string; readonly scope?: string },
  ctx: OAuthContext,
): Promise<OAuthClient> {
  const requestedAuthMethod = chooseRegistrationAuthMethod(provider.metadata);
  const registered = await sendOAuthRequest(
    { provider, ctx },
    "registration_endpoint",
    async ({ oauth, as, options }) => {
      const client = {
        client_name: "Plugboard",
        application_type: "native",
        ...grantMetadata(provider, redirectUri),
        token_endpoint_auth_method: requestedAuthMethod,
        // Includes scopes for later step-ups, because a client can't request a scope that it is not registered for.
        ...scopeParameter(unionScopes(provider.scopesSupported?.join(" "), scope)),
      };
      const response = await oauth.dynamicClientRegistrationRequest(as, client, options);
      const body = await readJsonObject(response);
      if (provider.source === "defaults" && typeof body["client_id"] !== "string") throw loginNotOffered(ctx);
      return oauth.processDynamicClientRegistrationResponse(normalizeRegistration(body, response.status));
    },
  ).catch((error: unknown) => {
    throw isHostError(error) && error.code === "LOGIN_FAILED" ? registrationFailed(error, ctx) : error;
  });
  return {
    ...toOAuthClient(registered, requestedAuthMethod),
    issuer: provider.issuer,
    ...(redirectUri !== undefined && { redirectUri }),
  };
}

const DEVICE_CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

function grantMetadata({ metadata }: OAuthProvider, redirectUri: string | undefined) {
  const deviceGrants = metadata.device_authorization_endpoint === undefined ? [] : [DEVICE_CODE_GRANT];
  if (redirectUri === undefined) return { grant_types: [...deviceGrants, "refresh_token"], response_types: [] };
  return {
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token", ...deviceGrants],
    response_types: ["code"],
  };
}

/** Corrects common deviations: a missing `client_secret_expires_at`, and status 200 instead of 201. */
function normalizeRegistration(registration: JsonObject, status: number): Response {
  const present = Object.entries(registration).filter(([, value]) => value !== null && value !== "");
  const { client_secret_expires_at: received = 0, ...rest } = Object.fromEntries(present);
  const expiresAt = Number(received);
  // 0 means that the secret does not expire.
  const body = { ...rest, client_secret_expires_at: expiresAt >= 0 && Number.isFinite(expiresAt) ? expiresAt : 0 };
  return Response.json(body, { status: status >= 200 && status < 300 ? 201 : status });
}

function toOAuthClient(
  registered: OmitSymbolProperties<Client>,
  requestedAuthMethod: AuthMethod,
): Omit<OAuthClient, "issuer" | "redirectUri"> {
  const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: granted } = registered;
  const isSupported = granted === "none" || granted === "client_secret_basic" || granted === "client_secret_post";
  const authMethod = isSupported ? granted : requestedAuthMethod;
  const base = { clientId, origin: "registered" } as const;
  if (authMethod === "none" || typeof clientSecret !== "string") return { ...base, authMethod: "none" };
  const expiresAt = registered["client_secret_expires_at"];
  const secretExpiresAt = typeof expiresAt === "number" && expiresAt > 0 ? expiresAt * 1000 : undefined;
  return { ...base, clientSecret, authMethod, ...(secretExpiresAt !== undefined && { secretExpiresAt }) };
}

/** The error for a server without metadata. Its endpoints were only a guess: the defaults of older servers. */
function loginNotOffered({ server }: OAuthContext): HostError {
  const reason = "it publishes no metadata, and the default endpoints of older servers do not accept a registration";
  return new HostError("LOGIN_NOT_OFFERED", { server, reason });
}

function registrationFailed({ details }: HostError<"LOGIN_FAILED">, { server }: OAuthContext): HostError {
  const { reason, error } = details;
  const message = `Plugboard could not be registered (${reason}); if you have a client there, set client_id`;
  return new HostError("LOGIN_FAILED", { server, reason: message, ...(error !== undefined && { error }) });
}
