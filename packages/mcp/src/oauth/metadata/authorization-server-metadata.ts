/**
 * Fetches the metadata of an authorization server (RFC 8414, OpenID Connect Discovery). Its issuer must match exactly.
 * Keeps only known fields of the right type.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { AuthorizationServer } from "oauth4webapi";
import { describeValue } from "../../lib/describe-value.ts";
import { isSafeEndpoint } from "../net/safe-urls.ts";
import { fetchMetadata, stringList } from "../net/fetch-metadata.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import { serverMetadataUrls } from "./well-known-urls.ts";

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

/**
 * Returns undefined if there is no metadata. `issuers` are the accepted spellings of the issuer. The metadata URL is built
 * from the first one.
 */
export async function findAuthorizationServerMetadata(
  issuers: readonly [string, ...string[]],
  ctx: OAuthContext,
): Promise<AuthorizationServer | undefined> {
  for (const url of serverMetadataUrls(issuers[0])) {
    const document = await fetchMetadata(url, ctx);
    const issuer = document?.["issuer"];
    if (!document || typeof issuer !== "string") continue;
    if (issuers.includes(issuer)) return toAuthorizationServer(issuer, document);
    const reason = `the authorization server ${describeValue(issuers[0])} calls itself ${describeValue(issuer)}`;
    throw new HostError("LOGIN_UNSAFE", { server: ctx.server, reason });
  }
  return undefined;
}

/** Throws LOGIN_UNSAFE for an unsafe endpoint. `serverUrl` is the URL of the MCP server. */
export function assertSafeEndpoints(metadata: AuthorizationServer, serverUrl: string, ctx: OAuthContext): void {
  for (const name of ENDPOINTS) {
    const endpoint = metadata[name];
    if (endpoint !== undefined && !isSafeEndpoint(endpoint, serverUrl)) throw unsafeEndpointError(name, endpoint, ctx);
  }
}

export function unsafeEndpointError(name: EndpointName, endpointUrl: string, { server }: OAuthContext): HostError {
  const reason = `its ${name} is ${describeValue(endpointUrl)}, which is not a safe address for secrets`;
  return new HostError("LOGIN_UNSAFE", { server, reason });
}

function toAuthorizationServer(issuer: string, document: JsonObject): AuthorizationServer {
  const endpoints = ENDPOINTS.flatMap((name) => (typeof document[name] === "string" ? [[name, document[name]]] : []));
  const lists = LISTS.flatMap((name) => {
    const list = stringList(document[name]);
    return list ? [[name, list]] : [];
  });
  const flags = FLAGS.flatMap((name) => (document[name] === true ? [[name, true]] : []));
  return { ...(Object.fromEntries([...endpoints, ...lists, ...flags]) as object), issuer };
}
