/** What every step of a login needs. */
import type { Clock } from "../../lib/clock.ts";

export interface OAuthContext {
  /** How errors call the MCP server. */
  readonly server: string;
  /** Guarded: bounded in size and time, and kept from addresses that are none of the server's business. */
  readonly fetch: OAuthFetch;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** As `oauth4webapi` calls it. */
export type OAuthFetch = (url: string, init: OAuthFetchInit) => Promise<Response>;

export interface OAuthFetchInit {
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: unknown;
  readonly redirect?: "manual";
  readonly signal?: AbortSignal;
}
