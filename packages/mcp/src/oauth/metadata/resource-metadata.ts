/**
 * Fetches the protected resource metadata of a server (RFC 9728). Tries the URL from the server's challenge, then the
 * well-known URL with the server's path, then the one at the root.
 *
 * The challenge may name another origin, as the standard allows. The document must name this server as its resource.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import type { Challenge } from "./challenge.ts";
import { isSafeEndpoint } from "../net/safe-urls.ts";
import { fetchMetadata, stringList } from "../net/fetch-metadata.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import { resourceMetadataUrls } from "./well-known-urls.ts";

export interface ResourceMetadata {
  /** As published: an authorization server compares it byte by byte. */
  readonly resource: string;
  /** The first of the authorization servers that the document names. */
  readonly authorizationServer?: string;
  readonly scopesSupported?: readonly string[];
  /** The server accepts only DPoP-bound tokens. */
  readonly requiresDpop?: boolean;
}

export async function findResourceMetadata(
  { url, challenge }: { readonly url: string; readonly challenge?: Challenge | undefined },
  ctx: OAuthContext,
): Promise<ResourceMetadata | undefined> {
  const { server } = ctx;
  const challengeUrl = challenge?.resourceMetadata;
  const candidateUrls = new Set([
    ...(challengeUrl === undefined ? [] : [toAbsoluteUrl(challengeUrl, url)]),
    ...resourceMetadataUrls(url),
  ]);
  for (const candidateUrl of candidateUrls) {
    if (!isSafeEndpoint(candidateUrl, url)) {
      const reason = `its metadata URL ${describeValue(candidateUrl)} is not secure`;
      throw new HostError("LOGIN_UNSAFE", { server, reason });
    }
    const document = await fetchMetadata(candidateUrl, ctx);
    if (typeof document?.["resource"] !== "string") continue;
    if (!covers(document["resource"], url)) {
      const reason = `its metadata is for another resource, ${describeValue(document["resource"])}`;
      throw new HostError("LOGIN_UNSAFE", { server, reason });
    }
    return toResourceMetadata(document["resource"], document);
  }
  return undefined;
}

function toResourceMetadata(resource: string, document: JsonObject): ResourceMetadata {
  const [authorizationServer] = stringList(document["authorization_servers"]) ?? [];
  const scopesSupported = stringList(document["scopes_supported"]);
  return {
    resource,
    ...(authorizationServer !== undefined && { authorizationServer }),
    ...(scopesSupported && { scopesSupported }),
    ...(document["dpop_bound_access_tokens_required"] === true && { requiresDpop: true }),
  };
}

/** Some servers send only a path. */
function toAbsoluteUrl(reference: string, url: string): string {
  return parseUrl(reference, url)?.href ?? reference;
}

/** Returns true if the server's URL equals the resource or lies below it. */
function covers(resource: string, server: string): boolean {
  const resourceUrl = parseUrl(resource);
  if (!resourceUrl) return false;
  const serverUrl = new URL(server);
  if (resourceUrl.origin !== serverUrl.origin || resourceUrl.hash !== "") return false;
  if (resourceUrl.search !== "" && resourceUrl.search !== serverUrl.search) return false;
  return withSlash(serverUrl.pathname).startsWith(withSlash(resourceUrl.pathname));
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
