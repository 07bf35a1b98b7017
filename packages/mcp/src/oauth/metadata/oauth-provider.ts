/** The authorization server for one resource. */
import type { AuthorizationServer } from "oauth4webapi";

export interface OAuthProvider {
  /** Credentials are stored by issuer. Without metadata it is derived from the token URL or the server's origin. */
  readonly issuer: string;
  /** The `resource` parameter of token requests. Older servers have none. */
  readonly resource?: string;
  /** The scopes that the resource metadata lists. */
  readonly scopesSupported?: readonly string[];
  readonly metadata: AuthorizationServer;
  /** True if the resource asks for DPoP-bound tokens and the authorization server supports them. */
  readonly dpop?: boolean;
  /** `defaults` means that no metadata was found and the endpoints of revision 2025-03-26 are used. */
  readonly source: "metadata" | "config" | "defaults";
}
