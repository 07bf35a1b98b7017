/** Where to log in for one resource. */
import type { AuthorizationServer } from "oauth4webapi";

export interface OAuthProvider {
  /** What credentials are kept by. Of one that publishes nothing, what stands for it. */
  readonly issuer: string;
  /** What tokens are asked for; nothing for servers that are older than that. */
  readonly resource?: string;
  /** What the resource says that can be asked for. */
  readonly scopesSupported?: readonly string[];
  readonly metadata: AuthorizationServer;
  /** The resource wants tokens that are bound to a key, and the authorization server can make them. */
  readonly dpop?: boolean;
  /** `defaults`: nothing was published anywhere, the endpoints are those of 2025-03-26. */
  readonly source: "metadata" | "config" | "defaults";
}
