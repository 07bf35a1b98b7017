/**
 * As whom to log in: as the user configured, else by a document that the
 * authorization server can fetch, else as it was registered there before, else by
 * registering now. What is known to one authorization server is never shown to another.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import { chooseSecretAuthMethod } from "./client-auth.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { assertPkceSupported } from "../metadata/assert-pkce-supported.ts";
import { registerClient } from "./register-client.ts";

export interface ConfiguredClient {
  readonly clientId: string;
  /** The authorization server that it is set up at, if that is known: it is shown to no other. */
  readonly issuer?: string;
  readonly clientSecret?: string;
  /** PEM. */
  readonly privateKey?: string;
}

export interface ResolveClientOptions {
  readonly configured?: ConfiguredClient;
  /** The address of a client ID metadata document. */
  readonly clientMetadataUrl?: string;
  /** Of an earlier registration. */
  readonly registered?: OAuthClient;
  /** Where the browser is to be sent back to; none for a login without one. */
  readonly redirectUri?: string;
  /** What is going to be asked for. */
  readonly scope?: string;
}

export async function resolveClient(
  provider: OAuthProvider,
  options: ResolveClientOptions,
  ctx: OAuthContext,
): Promise<OAuthClient> {
  // Before anything is left behind at a server that is going to be refused.
  if (options.redirectUri !== undefined) assertPkceSupported(provider, ctx);
  if (options.configured) return configuredClient(provider, options.configured, ctx);
  const documentBased = metadataDocumentClient(provider, options.clientMetadataUrl);
  if (documentBased) return documentBased;
  if (options.registered && isRegistrationValid(options.registered, provider, options, ctx)) return options.registered;
  if (canRegister(provider, options)) return registerClient(provider, options, ctx);
  const reason = `the authorization server ${describeValue(provider.issuer)} knows only clients that are set up there; set client_id`;
  throw new HostError("LOGIN_NOT_OFFERED", { server: ctx.server, reason });
}

function configuredClient(
  { issuer, metadata }: OAuthProvider,
  { clientId, clientSecret, privateKey, issuer: expected = issuer }: ConfiguredClient,
  { server }: OAuthContext,
): OAuthClient {
  if (expected !== issuer) {
    const reason = `its client is set up at ${describeValue(expected)}, and would be shown to ${describeValue(issuer)}`;
    throw new HostError("LOGIN_UNSAFE", { server, reason });
  }
  const base = { clientId, origin: "configured", issuer } as const;
  if (privateKey !== undefined) return { ...base, privateKey, authMethod: "private_key_jwt" };
  if (clientSecret === undefined) return { ...base, authMethod: "none" };
  return { ...base, clientSecret, authMethod: chooseSecretAuthMethod(metadata) };
}

/** Not for a program without a user: that is set up by somebody. */
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
