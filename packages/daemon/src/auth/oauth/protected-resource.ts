/**
 * Tells clients where to get a token: the metadata of the protected resource (RFC 9728), and the challenge in the
 * header `WWW-Authenticate`.
 */
import type { JsonObject } from "@plugboard/contracts";
import type { GatewayAuth } from "@plugboard/config";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

export interface ProtectedResource {
  readonly auth: GatewayAuth;
  /** The origin that clients use, such as `https://mcp.example.com`. */
  readonly origin: string;
}

/** Returns the path of the resource that a metadata path describes. Undefined if it is no metadata path. */
export function resourcePathOf(pathname: string): string | undefined {
  if (pathname === WELL_KNOWN) return "/mcp";
  return pathname.startsWith(`${WELL_KNOWN}/mcp`) ? pathname.slice(WELL_KNOWN.length) : undefined;
}

export function resourceMetadata({ auth, origin }: ProtectedResource, resourcePath: string): JsonObject {
  return {
    resource: `${origin}${resourcePath}`,
    authorization_servers: [auth.issuer],
    scopes_supported: scopesOf(auth),
    bearer_methods_supported: ["header"],
    resource_name: "Plugboard",
  };
}

/** Says which token is needed. `error` is absent if the request had no token. */
export function challenge(
  { auth, origin }: ProtectedResource,
  resourcePath: string,
  error?: "invalid_token" | "insufficient_scope",
): string {
  const parameters = {
    ...(error && { error }),
    scope: scopesOf(auth).join(" "),
    resource_metadata: `${origin}${WELL_KNOWN}${resourcePath}`,
  };
  return `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")}`;
}

function scopesOf({ scopes, approveScope }: GatewayAuth): string[] {
  return [...Object.keys(scopes), ...(approveScope === undefined ? [] : [approveScope])];
}
