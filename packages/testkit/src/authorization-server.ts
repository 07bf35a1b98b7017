/**
 * A real authorization server (`oidc-provider`) on loopback, in this process: PKCE with S256 always, dynamic
 * registration, a token per resource, refresh tokens that rotate and whose reuse ends the grant, revocation,
 * introspection, `iss` in every redirect, the device flow, client credentials. A test sees every request to it with its
 * answer, and can take back what was granted or spoil single requests.
 *
 *     const as = await startAuthorizationServer({ accessTokenSeconds: 20 });
 *     const lost = as.fault(isTokenRequest("refresh_token"), "lose"); // it rotates, and nobody hears of it
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
  /** What a resource may be asked for. */
  readonly scopes?: readonly string[];
  readonly format?: "opaque" | "jwt";
  /** Whether clients may register themselves; they may unless told otherwise. */
  readonly registration?: boolean;
  /** Whether there may be clients without a secret or a key; there may unless told otherwise. */
  readonly publicClients?: boolean;
  /** Whether tokens can be bound to a key; and whether a nonce is wanted for that. */
  readonly dpop?: boolean | "nonce";
  /** Client ID metadata documents by their addresses, which are never contacted. Without any it takes none. */
  readonly documents?: { readonly [url: string]: object };
}

/** Of what is issued from now on. */
export interface Lifetimes {
  accessTokenSeconds: number;
  refreshTokenSeconds: number;
}

export interface AuthorizationServer extends Recording {
  readonly issuer: string;
  readonly lifetimes: Lifetimes;
  /** With which a protected server asks about tokens. */
  readonly introspector: { readonly id: string; readonly secret: string };
  /** A client that is known beforehand, by its metadata as of a registration. */
  addClient(metadata: { readonly client_id: string; readonly [name: string]: unknown }): void;
  /** From now on there are tokens for it. */
  addResource(resource: string): void;
  /** Those of one grant type, or all. */
  tokenRequests(grantType?: string): readonly RecordedRequest[];
  /** What could still be used. Of access tokens only opaque ones are kept. */
  validIds(what: "Client" | "Grant" | "AccessToken" | "RefreshToken" | "AuthorizationCode"): readonly string[];
  /** No access token is good any more; refresh tokens are. */
  revokeAccessTokens(): void;
  /** Nothing that was granted is good any more. Clients stay. */
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
      // By default clients poll every five seconds.
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
    validIds: (what) => artifacts.ids(what),
    revokeAccessTokens: () => artifacts.clear("AccessToken", "ClientCredentials"),
    revokeGrants: () => artifacts.clear("Grant", "AccessToken", "RefreshToken", "AuthorizationCode"),
  };
}

export function isTokenRequest(grantType?: string): (request: RecordedRequest) => boolean {
  return ({ path, parameters }) =>
    path === "/token" && (grantType === undefined || parameters["grant_type"] === grantType);
}
