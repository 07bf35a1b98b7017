/**
 * What a server says about itself as a resource (RFC 9728): looked for where its
 * challenge says, then at the well-known address with its path, then at the root.
 *
 * The challenge may name another origin, which the standard allows: what counts is
 * that the document speaks for this server, and that is compared.
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
  /** As it was published: an authorization server compares it byte by byte. */
  readonly resource: string;
  /** The first of those it names. */
  readonly authorizationServer?: string;
  readonly scopesSupported?: readonly string[];
  /** It takes no tokens but those that are bound to a key. */
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
  for (const place of candidateUrls) {
    if (!isSafeEndpoint(place, url)) {
      const reason = `it describes itself at ${describeValue(place)}, which can be tampered with on the way`;
      throw new HostError("LOGIN_UNSAFE", { server, reason });
    }
    const document = await fetchMetadata(place, ctx);
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

/** Some servers name a path only. */
function toAbsoluteUrl(reference: string, url: string): string {
  return parseUrl(reference, url)?.href ?? reference;
}

/** Whether the server is the resource, or lies below it. */
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
