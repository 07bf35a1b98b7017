/**
 * What an authorization server publishes about itself (RFC 8414, OpenID Connect
 * Discovery). It must name itself exactly as we were told to look for it, or
 * nothing in it is believed. Only what is used is kept, and only where its type is right.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { AuthorizationServer } from "oauth4webapi";
import { quote } from "../wire/quote.ts";
import { isSafeEndpoint } from "./endpoint.ts";
import { fetchDocument, listOf } from "./fetch-document.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { serverMetadataUrls } from "./well-known.ts";

const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "device_authorization_endpoint",
  "revocation_endpoint",
] as const;

export type EndpointName = (typeof ENDPOINTS)[number];

const LISTS = [
  "scopes_supported",
  "grant_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "token_endpoint_auth_signing_alg_values_supported",
  "dpop_signing_alg_values_supported",
] as const;

const FLAGS = ["client_id_metadata_document_supported", "authorization_response_iss_parameter_supported"] as const;

/** Nothing if it publishes none. `names`: what it may call itself; the first is where to look. */
export async function findServerMetadata(
  names: readonly [string, ...string[]],
  ctx: OAuthContext,
): Promise<AuthorizationServer | undefined> {
  for (const url of serverMetadataUrls(names[0])) {
    const document = await fetchDocument(url, ctx);
    const issuer = document?.["issuer"];
    if (!document || typeof issuer !== "string") continue;
    if (names.includes(issuer)) return read(issuer, document);
    const what = `the authorization server ${quote(names[0])} calls itself ${quote(issuer)}`;
    throw new HostError("LOGIN_UNSAFE", { server: ctx.server, what });
  }
  return undefined;
}

/** `own`: an address of the MCP server. */
export function refuseUnsafeEndpoints(metadata: AuthorizationServer, own: string, ctx: OAuthContext): void {
  for (const name of ENDPOINTS) {
    const endpoint = metadata[name];
    if (endpoint !== undefined && !isSafeEndpoint(endpoint, own)) throw unsafeEndpoint(name, endpoint, ctx);
  }
}

export function unsafeEndpoint(name: EndpointName, address: string, { server }: OAuthContext): HostError {
  const what = `its ${name} is ${quote(address)}, where nothing secret may be sent`;
  return new HostError("LOGIN_UNSAFE", { server, what });
}

function read(issuer: string, document: JsonObject): AuthorizationServer {
  const endpoints = ENDPOINTS.flatMap((name) => (typeof document[name] === "string" ? [[name, document[name]]] : []));
  const lists = LISTS.flatMap((name) => {
    const list = listOf(document[name]);
    return list ? [[name, list]] : [];
  });
  const flags = FLAGS.flatMap((name) => (document[name] === true ? [[name, true]] : []));
  return { ...(Object.fromEntries([...endpoints, ...lists, ...flags]) as object), issuer };
}
