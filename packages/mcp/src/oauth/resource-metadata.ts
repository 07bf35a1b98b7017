/**
 * What a server says about itself as a resource (RFC 9728): looked for where its
 * challenge says, then at the well-known address with its path, then at the root.
 *
 * The challenge may name another origin, which the standard allows: what counts is
 * that the document speaks for this server, and that is compared.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { quote } from "../wire/quote.ts";
import type { Challenge } from "./challenge.ts";
import { isSafeEndpoint } from "./endpoint.ts";
import { fetchDocument, listOf } from "./fetch-document.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { resourceMetadataUrls } from "./well-known.ts";

export interface ResourceMetadata {
  /** As it was published: an authorization server compares it byte by byte. */
  readonly resource: string;
  /** The first of those it names. */
  readonly authorizationServer?: string;
  readonly scopesSupported?: readonly string[];
  /** It takes no tokens but those that are bound to a key. */
  readonly wantsDpop?: boolean;
}

export async function findResourceMetadata(
  { url, challenge }: { readonly url: string; readonly challenge?: Challenge | undefined },
  ctx: OAuthContext,
): Promise<ResourceMetadata | undefined> {
  const { server } = ctx;
  const named = challenge?.resourceMetadata;
  const places = new Set([...(named === undefined ? [] : [absolute(named, url)]), ...resourceMetadataUrls(url)]);
  for (const place of places) {
    if (!isSafeEndpoint(place, url)) {
      const what = `it describes itself at ${quote(place)}, which can be tampered with on the way`;
      throw new HostError("LOGIN_UNSAFE", { server, what });
    }
    const document = await fetchDocument(place, ctx);
    if (typeof document?.["resource"] !== "string") continue;
    if (!covers(document["resource"], url)) {
      const what = `its metadata is for another resource, ${quote(document["resource"])}`;
      throw new HostError("LOGIN_UNSAFE", { server, what });
    }
    return read(document["resource"], document);
  }
  return undefined;
}

function read(resource: string, document: JsonObject): ResourceMetadata {
  const [authorizationServer] = listOf(document["authorization_servers"]) ?? [];
  const scopesSupported = listOf(document["scopes_supported"]);
  return {
    resource,
    ...(authorizationServer !== undefined && { authorizationServer }),
    ...(scopesSupported && { scopesSupported }),
    ...(document["dpop_bound_access_tokens_required"] === true && { wantsDpop: true }),
  };
}

/** Some servers name a path only. */
function absolute(written: string, url: string): string {
  return parseUrl(written, url)?.href ?? written;
}

/** Whether the server is the resource, or lies below it. */
function covers(resource: string, server: string): boolean {
  const whole = parseUrl(resource);
  if (!whole) return false;
  const part = new URL(server);
  if (whole.origin !== part.origin || whole.hash !== "") return false;
  if (whole.search !== "" && whole.search !== part.search) return false;
  return withSlash(part.pathname).startsWith(withSlash(whole.pathname));
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
