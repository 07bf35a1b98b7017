/**
 * Configures `oidc-provider` for the authorization server. It requires PKCE, and by default lets unknown clients
 * register.
 */
import { generateKeyPair, type JsonWebKey, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { errors } from "oidc-provider";
import type { AuthorizationServerOptions, Lifetimes } from "../authorization-server.ts";
import type { Artifacts } from "./artifacts.ts";
import { htmlPage } from "./pages.ts";

export interface ProviderSetup {
  readonly options: AuthorizationServerOptions;
  readonly lifetimes: Lifetimes;
  readonly artifacts: Artifacts;
  /** The resources that tokens can be issued for. */
  readonly resources: ReadonlySet<string>;
}

/** The response to which the page is written. */
interface PageContext {
  body: string;
  type: string;
}

const DAY = 86_400;
const CONFIDENTIAL = ["client_secret_basic", "client_secret_post", "private_key_jwt"];

export async function providerConfiguration({
  options,
  lifetimes,
  artifacts,
  resources,
}: ProviderSetup): Promise<object> {
  const { scopes = ["mcp", "admin"], format = "opaque", publicClients = true, documents } = options;
  const access = () => lifetimes.accessTokenSeconds;
  return {
    adapter: artifacts.adapter,
    jwks: { keys: [await signingKey()] },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    scopes: ["openid", "offline_access", ...scopes],
    clientAuthMethods: [...CONFIDENTIAL, ...(publicClients ? ["none"] : [])],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_: unknown, client: Client) => client.grantTypeAllowed("refresh_token"),
    expiresWithSession: async () => false,
    findAccount: async (_: unknown, sub: string) => ({ accountId: sub, claims: async () => ({ sub }) }),
    clientBasedCORS: () => false,
    interactions: { url: async (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    renderError: async (ctx: PageContext, error: object) => renderPage(ctx, "Refused", JSON.stringify(error)),
    ttl: {
      AccessToken: access,
      ClientCredentials: access,
      RefreshToken: () => lifetimes.refreshTokenSeconds,
      AuthorizationCode: 60,
      DeviceCode: 600,
      IdToken: 600,
      Interaction: 600,
      Grant: DAY,
      Session: DAY,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: {
        enabled: options.dpop !== undefined && options.dpop !== false,
        nonceSecret: randomBytes(32),
        requireNonce: () => options.dpop === "nonce",
      },
      registration: { enabled: options.registration ?? true },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: async () => true },
      revocation: {
        enabled: true,
        allowedPolicy: async (_: unknown, client: Client, token: Client) => client.clientId === token.clientId,
      },
      rpInitiatedLogout: { enabled: false },
      deviceFlow: {
        enabled: options.deviceCodes ?? true,
        userCodeInputSource: async (ctx: PageContext, form: string) =>
          renderPage(ctx, "Code", form + submitButton("op.deviceInputForm")),
        userCodeConfirmSource: async (ctx: PageContext, form: string) =>
          renderPage(ctx, "Code", form + submitButton("op.deviceConfirmForm")),
        successSource: async (ctx: PageContext) => renderPage(ctx, "Done", ""),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: async (_: unknown, __: unknown, requested: unknown) => requested,
        getResourceServerInfo: async (_: unknown, resource: string) => {
          if (!resources.has(resource)) throw new errors.InvalidTarget();
          return { scope: scopes.join(" "), audience: resource, accessTokenTTL: access(), accessTokenFormat: format };
        },
      },
      ...(documents && { clientIdMetadataDocument: { enabled: true, ack: "draft-02" } }),
    },
    // The provider fetches nothing but client metadata documents.
    fetch: async (url: string | URL) => {
      const document = documents?.[String(url)];
      return document === undefined ? new Response(null, { status: 404 }) : Response.json(document);
    },
  };
}

interface Client {
  readonly clientId: string;
  grantTypeAllowed(type: string): boolean;
}

function renderPage(ctx: PageContext, title: string, content: string): void {
  ctx.type = "html";
  ctx.body = htmlPage(title, content);
}

function submitButton(form: string): string {
  return `<button type="submit" form="${form}">Continue</button>`;
}

let cachedKey: Promise<JsonWebKey> | undefined;

/** Generated once for all servers of the process, because a key takes a quarter of a second. */
function signingKey(): Promise<JsonWebKey> {
  return (cachedKey ??= makeSigningKey());
}

async function makeSigningKey(): Promise<JsonWebKey> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: randomBytes(8).toString("hex") };
}
