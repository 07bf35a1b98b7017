/**
 * Finds the OAuth client for a login: the configured one, a client ID metadata document, an earlier registration, or a
 * new registration. A client of one authorization server is never sent to another.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import { chooseSecretAuthMethod } from "./client-auth.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { assertPkceSupported } from "../metadata/assert-pkce-supported.ts";
import { registerClient } from "./register-client.ts";

interface ConfiguredClient {
  readonly clientId: string;
  /** The authorization server that knows the client, if configured. */
  readonly issuer?: string;
  readonly clientSecret?: string;
  /** PEM. */
  readonly privateKey?: string;
}

export interface ResolveClientOptions {
  readonly configured?: ConfiguredClient;
  /** The URL of a client ID metadata document. */
  readonly clientMetadataUrl?: string;
  /** The client of an earlier registration. */
  readonly registered?: OAuthClient;
  /** Omitted for a login without a browser. */
  readonly redirectUri?: string;
  /** The scope that the login will request. */
  readonly scope?: string;
}

export async function resolveClient(
  provider: OAuthProvider,
  options: ResolveClientOptions,
  ctx: OAuthContext,
): Promise<OAuthClient> {
  // Checks PKCE first, so that no client is registered at a server that can't be used.
  if (options.redirectUri !== undefined) assertPkceSupported(provider, ctx);
  if (options.configured) return configuredClient(provider, options.configured, ctx);
  const documentClient = metadataDocumentClient(provider, options.clientMetadataUrl);
  if (documentClient) return documentClient;
  if (options.registered && isRegistrationValid(options.registered, provider, options, ctx)) return options.registered;
  if (canRegister(provider, options)) return registerClient(provider, options, ctx);
  const reason = `the authorization server ${describeValue(provider.issuer)} does not accept new clients; set client_id`;
  throw new HostError("LOGIN_NOT_OFFERED", { server: ctx.server, reason });
}

function configuredClient(
  { issuer, metadata }: OAuthProvider,
  { clientId, clientSecret, privateKey, issuer: configuredIssuer = issuer }: ConfiguredClient,
  { server }: OAuthContext,
): OAuthClient {
  if (configuredIssuer !== issuer) {
    const reason = `its client is set up at ${describeValue(configuredIssuer)}, but the login is at ${describeValue(issuer)}`;
    throw new HostError("LOGIN_UNSAFE", { server, reason });
  }
  const base = { clientId, origin: "configured", issuer } as const;
  if (privateKey !== undefined) return { ...base, privateKey, authMethod: "private_key_jwt" };
  if (clientSecret === undefined) return { ...base, authMethod: "none" };
  return { ...base, clientSecret, authMethod: chooseSecretAuthMethod(metadata) };
}

/** A login can register a client if it has a user: in the browser or on another device. */
function canRegister({ metadata }: OAuthProvider, { redirectUri }: ResolveClientOptions): boolean {
  if (metadata.registration_endpoint === undefined) return false;
  return redirectUri !== undefined || metadata.device_authorization_endpoint !== undefined;
}

function metadataDocumentClient({ issuer, metadata }: OAuthProvider, url: string | undefined): OAuthClient | undefined {
  if (!metadata.client_id_metadata_document_supported || url === undefined) return undefined;
  const { protocol, pathname, hash } = parseUrl(url) ?? {};
  if (protocol !== "https:" || pathname === "/" || hash !== "") return undefined;
  return { clientId: url, authMethod: "none", origin: "document", issuer };
}

function isRegistrationValid(
  { origin, issuer, redirectUri, secretExpiresAt }: OAuthClient,
  provider: OAuthProvider,
  options: ResolveClientOptions,
  { clock }: OAuthContext,
): boolean {
  if (origin !== "registered" || (issuer !== undefined && issuer !== provider.issuer)) return false;
  if (options.redirectUri !== undefined && options.redirectUri !== redirectUri) return false;
  return secretExpiresAt === undefined || secretExpiresAt > clock.now();
}
