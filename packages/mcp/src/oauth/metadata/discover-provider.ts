/**
 * Finds the authorization server of an MCP server. Uses the user's config first, then published metadata, then the
 * default endpoints of revision 2025-03-26.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { AuthorizationServer } from "oauth4webapi";
import { describeValue } from "../../lib/describe-value.ts";
import type { Challenge } from "./challenge.ts";
import { DPOP_ALGORITHM } from "../tokens/dpop.ts";
import { isSafeEndpoint, isSafeBrowserUrl } from "../net/safe-urls.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import { findResourceMetadata } from "./resource-metadata.ts";
import type { ResourceMetadata } from "./resource-metadata.ts";
import {
  findAuthorizationServerMetadata,
  assertSafeEndpoints,
  unsafeEndpointError,
} from "./authorization-server-metadata.ts";

export interface ConfiguredEndpoints {
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly registrationUrl?: string;
}

interface DiscoveryTarget {
  /** The URL of the MCP server. */
  readonly url: string;
  readonly challenge?: Challenge;
  readonly configured?: ConfiguredEndpoints;
}

export async function discoverProvider(
  { url, challenge, configured = {} }: DiscoveryTarget,
  ctx: OAuthContext,
): Promise<OAuthProvider> {
  const resource = await findResourceMetadata({ url, challenge }, ctx);
  const { source, metadata } = await findAuthorizationServer(url, resource, configured, ctx);
  assertSafeEndpoints(metadata, url, ctx);
  const wantsDpop = resource?.requiresDpop || challenge?.scheme === "dpop";
  const loginPage = metadata.authorization_endpoint;
  // A URL from the user's config is always allowed.
  if (loginPage !== undefined && loginPage !== configured.authorizationUrl && !isSafeBrowserUrl(loginPage, url)) {
    throw unsafeEndpointError("authorization_endpoint", loginPage, ctx);
  }
  // A configured token URL counts as an issuer of its own. Credentials of the published issuer must not be sent to it.
  const issuer = configured.tokenUrl === undefined ? metadata.issuer : issuerFromTokenUrl(configured.tokenUrl, ctx);
  return {
    issuer,
    ...(resource && { resource: resource.resource }),
    ...(resource?.scopesSupported && { scopesSupported: resource.scopesSupported }),
    metadata,
    ...(wantsDpop && metadata.dpop_signing_alg_values_supported?.includes(DPOP_ALGORITHM) && { dpop: true }),
    source,
  };
}

type FoundMetadata = Pick<OAuthProvider, "source" | "metadata">;

async function findAuthorizationServer(
  url: string,
  resource: ResourceMetadata | undefined,
  configured: ConfiguredEndpoints,
  ctx: OAuthContext,
): Promise<FoundMetadata> {
  const endpoints = configuredEndpoints(configured);
  if (configured.authorizationUrl !== undefined && configured.tokenUrl !== undefined) {
    return { source: "config", metadata: { issuer: issuerFromTokenUrl(configured.tokenUrl, ctx), ...endpoints } };
  }
  const { origin } = new URL(url);
  const namedIssuer = resource?.authorizationServer;
  if (namedIssuer !== undefined) assertSafeIssuer(namedIssuer, url, ctx);
  const published = await findAuthorizationServerMetadata(
    namedIssuer === undefined ? [origin, `${origin}/`] : issuerSpellings(namedIssuer),
    ctx,
  );
  if (published) return { source: "metadata", metadata: { ...published, ...endpoints } };
  if (namedIssuer !== undefined) {
    const reason = `its authorization server ${describeValue(namedIssuer)} publishes no metadata`;
    throw new HostError("LOGIN_NOT_OFFERED", { server: ctx.server, reason });
  }
  return { source: "defaults", metadata: { ...defaultMetadata(origin), ...endpoints } };
}

function configuredEndpoints(configured: ConfiguredEndpoints): Partial<AuthorizationServer> {
  const { authorizationUrl, tokenUrl, registrationUrl } = configured;
  return {
    ...(authorizationUrl !== undefined && { authorization_endpoint: authorizationUrl }),
    ...(tokenUrl !== undefined && { token_endpoint: tokenUrl }),
    ...(registrationUrl !== undefined && { registration_endpoint: registrationUrl }),
  };
}

function defaultMetadata(origin: string): AuthorizationServer {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  };
}

/** Includes the path, because one origin may serve many tenants. */
function issuerFromTokenUrl(tokenUrl: string, ctx: OAuthContext): string {
  const url = parseUrl(tokenUrl);
  if (!url) {
    throw new HostError("SERVER_INVALID", { server: ctx.server, reason: "its token URL is not a URL" });
  }
  const { origin, pathname } = url;
  return `${origin}${pathname}`;
}

/** Accepts the issuer with and without a trailing slash after the host, because some libraries add it. */
function issuerSpellings(issuer: string): [string, ...string[]] {
  const { origin } = new URL(issuer);
  return issuer === `${origin}/` ? [issuer, origin] : [issuer];
}

function assertSafeIssuer(issuer: string, serverUrl: string, ctx: OAuthContext): void {
  if (isSafeEndpoint(issuer, serverUrl) && !/[?#]/.test(issuer)) return;
  const reason = `it names ${describeValue(issuer)} as its authorization server`;
  throw new HostError("LOGIN_UNSAFE", { server: ctx.server, reason });
}
