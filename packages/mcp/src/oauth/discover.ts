/**
 * Finds out where to log in for a server. What the user configured comes first,
 * then what the server and its authorization server publish, then what servers
 * of 2025-03-26 have without saying so.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { AuthorizationServer } from "oauth4webapi";
import { quote } from "../wire/quote.ts";
import type { Challenge } from "./challenge.ts";
import { DPOP_ALGORITHM } from "./dpop.ts";
import { isSafeEndpoint, isSafePage } from "./endpoint.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import { findResourceMetadata } from "./resource-metadata.ts";
import type { ResourceMetadata } from "./resource-metadata.ts";
import { findServerMetadata, refuseUnsafeEndpoints, unsafeEndpoint } from "./server-metadata.ts";

export interface ConfiguredEndpoints {
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly registrationUrl?: string;
}

export interface LoginPlace {
  /** Of the MCP server. */
  readonly url: string;
  readonly challenge?: Challenge;
  readonly configured?: ConfiguredEndpoints;
}

export async function discover(
  { url, challenge, configured = {} }: LoginPlace,
  ctx: OAuthContext,
): Promise<OAuthProvider> {
  const resource = await findResourceMetadata({ url, challenge }, ctx);
  const { found, metadata } = await findServer(url, resource, configured, ctx);
  refuseUnsafeEndpoints(metadata, url, ctx);
  const wantsDpop = resource?.wantsDpop || challenge?.scheme === "dpop";
  const page = metadata.authorization_endpoint;
  // What the user has named may be anywhere.
  if (page !== undefined && page !== configured.authorizationUrl && !isSafePage(page, url)) {
    throw unsafeEndpoint("authorization_endpoint", page, ctx);
  }
  // Where the user has tokens asked for elsewhere, what was given by the one that is published is nothing to it.
  const issuer = configured.tokenUrl === undefined ? metadata.issuer : nameOf(configured.tokenUrl, ctx);
  return {
    issuer,
    ...(resource && { resource: resource.resource }),
    ...(resource?.scopesSupported && { scopesSupported: resource.scopesSupported }),
    metadata,
    ...(wantsDpop && metadata.dpop_signing_alg_values_supported?.includes(DPOP_ALGORITHM) && { dpop: true }),
    found,
  };
}

type Found = Pick<OAuthProvider, "found" | "metadata">;

async function findServer(
  url: string,
  resource: ResourceMetadata | undefined,
  configured: ConfiguredEndpoints,
  ctx: OAuthContext,
): Promise<Found> {
  const endpoints = configuredEndpoints(configured);
  if (configured.authorizationUrl !== undefined && configured.tokenUrl !== undefined) {
    return { found: "config", metadata: { issuer: nameOf(configured.tokenUrl, ctx), ...endpoints } };
  }
  const { origin } = new URL(url);
  const named = resource?.authorizationServer;
  if (named !== undefined) refuseUnsafeIssuer(named, url, ctx);
  const published = await findServerMetadata(named === undefined ? [origin, `${origin}/`] : namesOf(named), ctx);
  if (published) return { found: "metadata", metadata: { ...published, ...endpoints } };
  if (named !== undefined) {
    const what = `its authorization server ${quote(named)} publishes no metadata`;
    throw new HostError("LOGIN_NOT_OFFERED", { server: ctx.server, what });
  }
  return { found: "defaults", metadata: { ...defaults(origin), ...endpoints } };
}

function configuredEndpoints(configured: ConfiguredEndpoints): Partial<AuthorizationServer> {
  const { authorizationUrl, tokenUrl, registrationUrl } = configured;
  return {
    ...(authorizationUrl !== undefined && { authorization_endpoint: authorizationUrl }),
    ...(tokenUrl !== undefined && { token_endpoint: tokenUrl }),
    ...(registrationUrl !== undefined && { registration_endpoint: registrationUrl }),
  };
}

function defaults(origin: string): AuthorizationServer {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  };
}

/** Not the origin alone: one address may serve many tenants. */
function nameOf(tokenUrl: string, ctx: OAuthContext): string {
  const url = parseUrl(tokenUrl);
  if (!url) {
    throw new HostError("SERVER_INVALID", { server: ctx.server, what: "its token URL is not a URL" });
  }
  const { origin, pathname } = url;
  return `${origin}${pathname}`;
}

/** Exactly that, but for the slash that some libraries put after a host: both are looked up at the same address. */
function namesOf(issuer: string): [string, ...string[]] {
  const { origin } = new URL(issuer);
  return issuer === `${origin}/` ? [issuer, origin] : [issuer];
}

function refuseUnsafeIssuer(issuer: string, own: string, ctx: OAuthContext): void {
  if (isSafeEndpoint(issuer, own) && !/[?#]/.test(issuer)) return;
  const what = `it names ${quote(issuer)} as its authorization server`;
  throw new HostError("LOGIN_UNSAFE", { server: ctx.server, what });
}
