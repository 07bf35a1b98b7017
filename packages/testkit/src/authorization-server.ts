/**
 * A real authorization server (`oidc-provider`) on loopback, in this process. It requires PKCE with S256 and supports
 * dynamic registration, tokens per resource, rotating refresh tokens, revocation, introspection, the device flow and
 * client credentials. A test sees every request with its response. It can revoke grants and make single requests fail.
 *
 *     const as = await startAuthorizationServer({ accessTokenSeconds: 20 });
 *     const lost = as.injectFault(isTokenRequest("refresh_token"), "lose"); // the token is rotated, but the response is lost
 *     as.revokeAccessTokens();
 *     expect(as.tokenRequests("refresh_token")).toHaveLength(1);
 */
import { randomBytes } from "node:crypto";
import { Provider } from "oidc-provider";
import { Artifacts } from "./authorization-server/artifacts.ts";
import { providerConfiguration } from "./authorization-server/provider-configuration.ts";
import { handleInteraction } from "./authorization-server/pages.ts";
import { type RecordedRequest, type Recording, startRecordingHttp } from "./recording-http.ts";

export interface AuthorizationServerOptions extends Partial<Lifetimes> {
  /** The scopes of the resources. */
  readonly scopes?: readonly string[];
  /** The format of access tokens. Defaults to opaque. */
  readonly format?: "opaque" | "jwt";
  /** Allows clients to register themselves. Defaults to true. */
  readonly registration?: boolean;
  /** Supports device codes. Defaults to true. */
  readonly deviceCodes?: boolean;
  /** Allows clients without a secret or a key. Defaults to true. */
  readonly publicClients?: boolean;
  /** Supports DPoP; `nonce` also requires a nonce. */
  readonly dpop?: boolean | "nonce";
  /** Client ID metadata documents by URL. The URLs are never contacted. Without any document, the feature is off. */
  readonly documents?: { readonly [url: string]: object };
}

/** Applies to tokens that are issued from now on. */
export interface Lifetimes {
  accessTokenSeconds: number;
  refreshTokenSeconds: number;
}

export interface AuthorizationServer extends Recording {
  readonly issuer: string;
  readonly lifetimes: Lifetimes;
  /** The credentials with which a protected server introspects tokens. */
  readonly introspector: { readonly id: string; readonly secret: string };
  /** Adds a client with the given registration metadata. */
  addClient(metadata: { readonly client_id: string; readonly [name: string]: unknown }): void;
  /** Allows tokens for this resource from now on. */
  addResource(resource: string): void;
  /** Returns the token requests, optionally of one grant type. */
  tokenRequests(grantType?: string): readonly RecordedRequest[];
  /** Returns the ids of the valid objects of one model. JWT access tokens are not stored, so they have no id here. */
  validIds(model: "Client" | "Grant" | "AccessToken" | "RefreshToken" | "AuthorizationCode"): readonly string[];
  /** Invalidates all access tokens, but not the refresh tokens. */
  revokeAccessTokens(): void;
  /** Invalidates everything that was granted. Clients stay registered. */
  revokeGrants(): void;
}

export async function startAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const { accessTokenSeconds = 3600, refreshTokenSeconds = 86_400 } = options;
  const lifetimes = { accessTokenSeconds, refreshTokenSeconds };
  const artifacts = new Artifacts();
  const resources = new Set<string>();
  const introspector = { id: "resource-server", secret: randomBytes(16).toString("hex") };
  let issuer = "";

  const recording = await startRecordingHttp(async (origin) => {
    issuer = origin;
    const provider = new Provider(origin, await providerConfiguration({ options, lifetimes, artifacts, resources }));
    provider.use(async (ctx, next) => {
      await next();
      // The default polling interval is five seconds.
      if (ctx.path === "/device/auth" && typeof ctx.body === "object") ctx.body = { ...ctx.body, interval: 1 };
    });
    const serve = provider.callback();
    return (request, response, { path, parameters }) =>
      path.startsWith("/interaction/")
        ? handleInteraction(provider, request, response, parameters)
        : serve(request, response);
  });
  const addClient: AuthorizationServer["addClient"] = (client) => artifacts.set("Client", client.client_id, client);
  addClient({
    client_id: introspector.id,
    client_secret: introspector.secret,
    redirect_uris: [],
    response_types: [],
    grant_types: [],
  });

  return {
    ...recording,
    issuer,
    lifetimes,
    introspector,
    addClient,
    addResource: (resource) => void resources.add(resource),
    tokenRequests: (grantType) => recording.requests.filter(isTokenRequest(grantType)),
    validIds: (model) => artifacts.ids(model),
    revokeAccessTokens: () => artifacts.clear("AccessToken", "ClientCredentials"),
    revokeGrants: () => artifacts.clear("Grant", "AccessToken", "RefreshToken", "AuthorizationCode"),
  };
}

export function isTokenRequest(grantType?: string): (request: RecordedRequest) => boolean {
  return ({ path, parameters }) =>
    path === "/token" && (grantType === undefined || parameters["grant_type"] === grantType);
}
